import type { CalendarAppointment } from '#contract/calendar.ts';
import type { CalendarView } from '#contract/scheduling.ts';
import { formerName } from '../clinic/former-name.ts';

/** Calendars of these appointments that the provider does not offer: shown, but not bookable. */
export function formerCalendars(
  visits: Pick<CalendarAppointment, 'calendar_id' | 'calendar' | 'time_zone' | 'practitioner_id'>[],
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
  // Stable order across days.
  return [...outside.values()].sort((a, b) => a.id - b.id);
}
