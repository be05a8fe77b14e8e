import { mergeAnswers, readAnswers } from './answers.ts';
import { readLabels } from './book-appointment.ts';
import type { Call } from './call.ts';
import { redeemCertificate, requireUsable } from './certificates.ts';
import { acuityError } from './errors.ts';
import { notify } from './notify.ts';
import { isEmail, textOf, type Values } from './params.ts';
import type { Appointment } from './state.ts';

/**
 * Changes the documented attributes and ignores all others, as Acuity's API
 * reference says. `notes` and `certificate` require admin mode.
 */
export function updateAppointment(call: Call, appointment: Appointment, values: Values, admin: boolean): Appointment {
  for (const name of ['firstName', 'lastName', 'email'] as const) {
    if (name in values && !textOf(values, name).trim() && !admin) throw acuityError('invalid_name', name);
  }
  const email = textOf(values, 'email');
  if (email && !isEmail(email)) throw acuityError('invalid_email', email);
  const answers = readAnswers(call, values, appointment.typeId);
  const labelIDs = readLabels(call.account, values);
  const certificate = admin && 'certificate' in values ? readCertificate(call, appointment, values) : undefined;

  for (const name of ['firstName', 'lastName', 'phone', 'email'] as const) {
    if (name in values) appointment[name] = textOf(values, name);
  }
  if (certificate !== undefined && certificate !== appointment.certificate) {
    redeemCertificate(call, appointment, -1);
    appointment.certificate = certificate;
    redeemCertificate(call, appointment);
  }
  if (admin && 'notes' in values) appointment.notes = textOf(values, 'notes');
  if ('labels' in values) appointment.labelIDs = labelIDs;
  appointment.answers = mergeAnswers(appointment.answers, answers);
  notify(call, 'changed', appointment);
  return appointment;
}

/** Returns the code, or null when the request removes it. */
function readCertificate(call: Call, { typeId, email, duration, certificate }: Appointment, values: Values) {
  const code = textOf(values, 'certificate');
  if (code === '' || code === certificate) return code || null;
  const type = call.account.types.find(({ id }) => id === typeId);
  if (!type) throw acuityError('invalid_certificate_type', code);
  return requireUsable(call, code, type, { email, minutes: duration }).code;
}
