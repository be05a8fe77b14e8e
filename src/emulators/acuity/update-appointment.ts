import { mergeAnswers, readAnswers } from './answers.ts';
import { isEmail, readLabels } from './book-appointment.ts';
import type { Call } from './call.ts';
import { refusal } from './errors.ts';
import { notify } from './notify.ts';
import { textOf, type Values } from './params.ts';
import type { Appointment } from './state.ts';

/** Changes the documented attributes; all others are ignored, as the reference says. `notes` needs admin mode. */
export function updateAppointment(call: Call, appointment: Appointment, values: Values, admin: boolean): Appointment {
  for (const name of ['firstName', 'lastName', 'email'] as const) {
    if (name in values && !textOf(values, name).trim() && !admin) throw refusal('invalid_name', name);
  }
  const email = textOf(values, 'email');
  if (email && !isEmail(email)) throw refusal('invalid_email', email);
  const answers = readAnswers(call, values, appointment.typeId);
  const labelIDs = readLabels(call.account, values);

  for (const name of ['firstName', 'lastName', 'phone', 'email'] as const) {
    if (name in values) appointment[name] = textOf(values, name);
  }
  if (admin && 'notes' in values) appointment.notes = textOf(values, 'notes');
  if ('labels' in values) appointment.labelIDs = labelIDs;
  appointment.answers = mergeAnswers(appointment.answers, answers);
  notify(call, 'changed', appointment);
  return appointment;
}
