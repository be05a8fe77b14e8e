import type { Mode } from './book-appointment.ts';
import type { Call } from './call.ts';
import { redeemCertificate } from './certificates.ts';
import { acuityError } from './errors.ts';
import { notify, recordEmail } from './notify.ts';
import { flagOf, rejectUnknown, textOf, type Values } from './params.ts';
import type { Appointment } from './state.ts';
import { HOUR_MS } from './zone.ts';

/**
 * Cancels the appointment permanently and frees its slot. A repeated cancellation returns the
 * same response and sends no notification; Acuity does not document that case.
 */
export function cancelAppointment(call: Call, appointment: Appointment, values: Values, mode: Mode): Appointment {
  rejectUnknown(values, ['cancelNote', 'noShow']);
  if (appointment.canceled) return appointment;
  const { limits } = call.account;
  if (!mode.admin) {
    if (!limits.clientsMayCancel) throw acuityError('cancel_not_allowed');
    if (appointment.startAt - call.now < limits.minHoursToChange * HOUR_MS) throw acuityError('cancel_too_close');
  }
  appointment.canceled = true;
  // Credits the certificate. In Acuity, the account's settings decide that.
  redeemCertificate(call, appointment, -1);
  appointment.cancelNote = textOf(values, 'cancelNote');
  appointment.noShow = mode.admin && flagOf(values, 'noShow');
  if (!mode.noEmail) recordEmail(call, 'canceled', appointment);
  notify(call, 'canceled', appointment);
  return appointment;
}
