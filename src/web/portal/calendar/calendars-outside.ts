import type { CalendarVisit } from '#contract/calendar.ts';
import type { CalendarView } from '#contract/scheduling.ts';
import { formerName } from '../clinic/former-name.ts';

/** The calendars of these visits that the provider does not offer: visits stand there, and nothing can be booked. */
export function calendarsOutside(
  visits: Pick<CalendarVisit, 'calendar_id' | 'calendar' | 'time_zone' | 'practitioner_id'>[],
  calendars: Pick<CalendarView, 'id' | 'name'>[],
): CalendarView[] {
  const known = new Set(calendars.map(({ id }) => id));
  const outside = new Map<number, CalendarView>();
  for (const { calendar_id: id, calendar: name, time_zone, practitioner_id } of visits)
    if (!known.has(id))
      outside.set(id, {
        id,
        calendar_id: id,
        name: formerName(name, calendars),
        time_zone,
        practitioner_id,
        appointment_type_ids: [],
      });
  // In the same order on each day.
  return [...outside.values()].sort((a, b) => a.id - b.id);
}
