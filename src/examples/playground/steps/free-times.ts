import type { AppointmentType, FreeTime } from './api-types.ts';
import { callApi } from './call-api.ts';

export const listVisitTypes = (): Promise<AppointmentType[]> =>
  callApi('GET', '/appointment_types');

/**
 * Slots of seven days from a day (YYYY-MM-DD); of all practitioners unless a
 * calendar is given.
 */
export function listFreeTimes(
  typeId: number,
  fromDay: string,
  calendarId?: number,
): Promise<FreeTime[]> {
  const query = new URLSearchParams({
    appointment_type_id: String(typeId),
    from_date: fromDay,
  });
  if (calendarId) query.set('calendar_id', String(calendarId));
  return callApi('GET', `/availability?${query}`);
}
