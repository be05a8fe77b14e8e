import type { Mode } from './book-appointment.ts';
import { type Call, calendarOf, parseStart } from './call.ts';
import { classAt } from './classes.ts';
import { acuityError } from './errors.ts';
import { notify, recordEmail } from './notify.ts';
import { rejectUnknown, type Values, zoneOf } from './params.ts';
import { findFreeCalendar } from './slots.ts';
import type { Appointment, Calendar } from './state.ts';
import { HOUR_MS, MINUTE_MS } from './zone.ts';

/**
 * Reschedules the appointment. Without `calendarID` it keeps its calendar; with null, the emulator picks a free one.
 */
export function rescheduleAppointment(call: Call, appointment: Appointment, values: Values, mode: Mode): Appointment {
  rejectUnknown(values, ['datetime', 'calendarID', 'timezone']);
  if (appointment.canceled) throw acuityError('reschedule_canceled');
  if (call.account.types.some(({ id, kind }) => id === appointment.typeId && kind === 'series'))
    throw acuityError('reschedule_series');
  const calendar = values.calendarID === undefined ? currentCalendar(call, appointment) : calendarOf(call, values);
  const start = parseStart(call, values, calendar);
  const timezone = zoneOf(values, appointment.timezone);
  if (!mode.admin) checkClientMayMove(call, appointment);
  const place = mode.admin && calendar ? calendar : placeFor(call, appointment, calendar, start);

  appointment.calendarId = place.id;
  appointment.startAt = start.at;
  appointment.classId = classAt(call.account, appointment)?.id ?? null;
  appointment.endAt = start.at + appointment.duration * MINUTE_MS;
  appointment.timezone = timezone;
  if (!mode.noEmail) recordEmail(call, 'rescheduled', appointment);
  notify(call, 'rescheduled', appointment);
  return appointment;
}

function placeFor(
  call: Call,
  { id, typeId, duration }: Appointment,
  calendar: Calendar | null,
  start: Start,
): Calendar {
  const type = call.account.types.find((each) => each.id === typeId);
  if (!type) throw acuityError('not_available', start.text);
  return findFreeCalendar(call, { type, duration, calendar, ignore: [id] }, start.at, start.text);
}

type Start = ReturnType<typeof parseStart>;

/** Rejects a removed calendar; Acuity does not document the error code. */
function currentCalendar({ account }: Call, { calendarId }: Appointment): Calendar {
  const calendar = account.calendars.find(({ id }) => id === calendarId);
  if (!calendar) throw acuityError('invalid_calendar', String(calendarId));
  return calendar;
}

function checkClientMayMove({ account, now }: Call, { startAt }: Appointment): void {
  if (!account.limits.clientsMayReschedule) throw acuityError('reschedule_not_allowed');
  if (startAt - now < account.limits.minHoursToChange * HOUR_MS) throw acuityError('reschedule_too_close');
}
