import type { AppointmentType, Slot } from './api-types.ts';
import { callApi } from './call-api.ts';

export const listAppointmentTypes = (): Promise<AppointmentType[]> =>
  callApi('GET', '/appointment_types');

/**
 * Slots of seven days from a day (YYYY-MM-DD); of all practitioners unless a
 * calendar is given.
 */
export function listSlots(
  typeId: number,
  fromDay: string,
  calendarId?: number,
): Promise<Slot[]> {
  const query = new URLSearchParams({
    appointment_type_id: String(typeId),
    from_date: fromDay,
  });
  if (calendarId) query.set('calendar_id', String(calendarId));
  return callApi('GET', `/availability?${query}`);
}
