import type { CalendarView } from '#contract/scheduling.ts';
import { isSameLocalTime, zoneName } from '#web/ui/format-time.ts';

/** Says in which time zone times are shown, and which calendars use another. */
export function timeZoneMessage(
  calendars: Pick<CalendarView, 'name' | 'time_zone'>[],
  zone: string,
  now: string,
): string {
  const elsewhere = calendars.filter(({ time_zone }) => !isSameLocalTime(now, time_zone, zone));
  const places = [...new Set(elsewhere.map(({ time_zone }) => zoneName(time_zone)))].join(', ');
  const own = `Times are on your clock (${zoneName(zone)})`;
  if (elsewhere.length === 0) return `${own}.`;
  if (elsewhere.length === calendars.length) return `${own}; calendars are kept in ${places}.`;
  const [only, ...more] = elsewhere;
  return more.length === 0
    ? `${own}; the calendar of ${only!.name} is kept in ${places}.`
    : `${own}; some calendars are kept in ${places}.`;
}
