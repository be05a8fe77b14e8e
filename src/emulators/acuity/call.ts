import type { World } from '../core/route.ts';
import { acuityError } from './errors.ts';
import { idOf, idsOf, textOf, type Values } from './params.ts';
import type { Account, AcuityState, Appointment, AppointmentType, Calendar } from './state.ts';
import { parseInstant } from './zone.ts';

/**
 * One authenticated request: its account and time. Each operation runs
 * synchronously from validation to write, so that requests do not interleave.
 */
export interface Call {
  account: Account;
  now: number;
  world: World<AcuityState>;
}

export const newId = (call: Call): number => call.world.state.nextId++;

/**
 * Returns the active type that the request names; private types are bookable by id.
 * @throws ErrorReply `required_appointment_type_id`, `invalid_appointment_type`
 */
export function typeOf({ account }: Call, values: Values): AppointmentType {
  const id = idOf(values, 'appointmentTypeID');
  if (id === null) throw acuityError('required_appointment_type_id');
  const type = account.types.find((each) => each.id === id && each.active && !each.deleted);
  if (!type) throw acuityError('invalid_appointment_type', textOf(values, 'appointmentTypeID'));
  return type;
}

/**
 * Returns the calendar that the request names, or null.
 * @throws ErrorReply `invalid_calendar`
 */
export function calendarOf({ account }: Call, values: Values): Calendar | null {
  const id = idOf(values, 'calendarID');
  if (id === null) return null;
  const calendar = account.calendars.find((each) => each.id === id);
  if (!calendar) throw acuityError('invalid_calendar', textOf(values, 'calendarID'));
  return calendar;
}

export function appointmentOf({ account }: Call, id: string | undefined): Appointment {
  const appointment = account.appointments.find((each) => String(each.id) === id);
  if (!appointment) throw acuityError('not_found');
  return appointment;
}

/** Returns the requested add-ons of this type. Acuity does not document the error for others. */
export function addonsOf({ account }: Call, values: Values, type: AppointmentType) {
  return idsOf(values, 'addonIDs').map((id) => {
    const addon = account.addons.find((each) => each.id === id && type.addonIDs.includes(id));
    if (!addon) throw acuityError('bad_request', `The addon "${id}" does not exist on this appointment type.`);
    return addon;
  });
}

/**
 * Parses the required `datetime`; without an offset it is in the calendar's time zone, else the business's.
 * @throws ErrorReply `required_datetime`, `invalid_datetime`
 */
export function parseStart({ account }: Call, values: Values, calendar: Calendar | null): { at: number; text: string } {
  const text = textOf(values, 'datetime');
  if (text === '') throw acuityError('required_datetime');
  const at = parseInstant(text, calendar?.timezone || account.timezone);
  if (at === null) throw acuityError('invalid_datetime', text);
  return { at, text };
}
