import type { CalendarAppointment } from '#contract/calendar.ts';
import type { CalendarView } from '#contract/scheduling.ts';
import { isSameLocalTime, zoneName } from '#web/ui/format-time.ts';
import { formerName } from '../clinic/former-name.ts';

/** Calendars of these appointments that the provider does not offer: shown, but not bookable. */
export function formerCalendars(
  appointments: Pick<CalendarAppointment, 'calendar_id' | 'calendar' | 'time_zone' | 'practitioner_id'>[],
  calendars: Pick<CalendarView, 'id' | 'name'>[],
): CalendarView[] {
  const offeredIds = new Set(calendars.map(({ id }) => id));
  const former = new Map<number, CalendarView>();
  for (const { calendar_id: id, calendar: name, time_zone, practitioner_id } of appointments)
    if (!offeredIds.has(id))
      former.set(id, {
        id,
        calendar_id: id,
        name: formerName(name, calendars),
        time_zone,
        practitioner_id,
        appointment_type_ids: [],
      });
  // Stable order across days.
  return [...former.values()].sort((a, b) => a.id - b.id);
}

/** Says in which time zone times are shown, and which calendars use another. */
export function timeZoneMessage(
  calendars: Pick<CalendarView, 'name' | 'time_zone'>[],
  zone: string,
  now: string,
): string {
  const elsewhere = calendars.filter(({ time_zone }) => !isSameLocalTime(now, time_zone, zone));
  const places = [...new Set(elsewhere.map(({ time_zone }) => zoneName(time_zone)))].join(', ');
  const base = `Times are on your clock (${zoneName(zone)})`;
  const [only, ...more] = elsewhere;
  if (!only) return `${base}.`;
  if (elsewhere.length === calendars.length) return `${base}; calendars are kept in ${places}.`;
  return more.length === 0
    ? `${base}; the calendar of ${only.name} is kept in ${places}.`
    : `${base}; some calendars are kept in ${places}.`;
}
