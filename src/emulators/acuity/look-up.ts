import type { Call } from './call.ts';
import { refusal } from './errors.ts';
import { idOf, idsOf, textOf, type Values } from './params.ts';
import type { Appointment, AppointmentType, Calendar } from './state.ts';
import { parseInstant } from './zone.ts';

/** The active type that a request names; private ones are bookable by id. */
export function typeOf({ account }: Call, values: Values): AppointmentType {
  const id = idOf(values, 'appointmentTypeID');
  if (id === null) throw refusal('required_appointment_type_id');
  const type = account.types.find((each) => each.id === id && each.active && !each.deleted);
  if (!type) throw refusal('invalid_appointment_type', textOf(values, 'appointmentTypeID'));
  return type;
}

/** The calendar that a request names, or null. */
export function calendarOf({ account }: Call, values: Values): Calendar | null {
  const id = idOf(values, 'calendarID');
  if (id === null) return null;
  const calendar = account.calendars.find((each) => each.id === id);
  if (!calendar) throw refusal('invalid_calendar', textOf(values, 'calendarID'));
  return calendar;
}

export function appointmentOf({ account }: Call, id: string | undefined): Appointment {
  const appointment = account.appointments.find((each) => String(each.id) === id);
  if (!appointment) throw refusal('not_found');
  return appointment;
}

/** Ids of add-ons of this type; the error for others is not documented. */
export function addonsOf({ account }: Call, values: Values, type: AppointmentType) {
  return idsOf(values, 'addonIDs').map((id) => {
    const addon = account.addons.find((each) => each.id === id && type.addonIDs.includes(id));
    if (!addon) throw refusal('bad_request', `The addon "${id}" does not exist on this appointment type.`);
    return addon;
  });
}

/** The required `datetime`; without an offset it is read in the calendar's zone, else the business's. */
export function startOf({ account }: Call, values: Values, calendar: Calendar | null): { at: number; text: string } {
  const text = textOf(values, 'datetime');
  if (text === '') throw refusal('required_datetime');
  const at = parseInstant(text, calendar?.timezone || account.timezone);
  if (at === null) throw refusal('invalid_datetime', text);
  return { at, text };
}
