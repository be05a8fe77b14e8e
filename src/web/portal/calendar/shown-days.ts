import { addDays } from '#web/ui/format-time.ts';
import { dayBounds } from '../appointments/local-time.ts';

export const VIEWS = [
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
  { value: 'list', label: 'List' },
] as const;
export type View = (typeof VIEWS)[number]['value'];

export const viewOf = (text: string): View => VIEWS.find(({ value }) => value === text)?.value ?? 'day';

const weekdayOf = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay();
const firstOfWeek = (day: string) => addDays(day, -weekdayOf(day));
const firstOfMonth = (day: string) => `${day.slice(0, 7)}-01`;
const nextMonth = (day: string) => firstOfMonth(addDays(firstOfMonth(day), 31));

/**
 * First and last day (YYYY-MM-DD) that a view shows around a day. A month has whole weeks, which start as in date
 * pickers.
 */
export function shownDays(view: View, day: string): { first: string; last: string } {
  if (view === 'week') return { first: firstOfWeek(day), last: addDays(firstOfWeek(day), 6) };
  if (view !== 'month') return { first: day, last: day };
  const end = addDays(nextMonth(day), -1);
  return { first: firstOfWeek(firstOfMonth(day)), last: addDays(firstOfWeek(end), 6) };
}

/** The day that a step forward (1) or backward (-1) leads to. */
export function stepFrom(view: View, day: string, direction: 1 | -1): string {
  if (view === 'week') return addDays(day, 7 * direction);
  if (view !== 'month') return addDays(day, direction);
  return direction === 1 ? nextMonth(day) : firstOfMonth(addDays(firstOfMonth(day), -1));
}

const formatDay = (day: string, shape: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-US', { ...shape, timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`));

/** "Monday, November 23, 2026", "Nov 22 – 28, 2026" or "November 2026". */
export function titleOf(view: View, day: string): string {
  if (view === 'month') return formatDay(day, { month: 'long', year: 'numeric' });
  if (view !== 'week') return formatDay(day, { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' });
  const { first, last } = shownDays(view, day);
  const isOneMonth = first.slice(0, 7) === last.slice(0, 7);
  const end = formatDay(last, isOneMonth ? { day: 'numeric' } : { month: 'short', day: 'numeric' });
  return `${formatDay(first, { month: 'short', day: 'numeric' })} – ${end}, ${last.slice(0, 4)}`;
}

const DAY_MS = 24 * 3_600_000;
const MAX_AVAILABILITY_MS = 7 * DAY_MS;

/**
 * The instants of days in the reader's zone, for their availability; null for more than a week. Calendars in other zones
 * have other days. The service gives 168 hours, one less than the week in which summer time ends has.
 */
export function availabilityRange(
  { first, last }: { first: string; last: string },
  zone: string,
): { from_date: string; to_date: string } | null {
  if (last > addDays(first, 6)) return null;
  const from_date = dayBounds(first, zone).start;
  const end = Math.min(Date.parse(dayBounds(last, zone).end), Date.parse(from_date) + MAX_AVAILABILITY_MS);
  return { from_date, to_date: new Date(end).toISOString() };
}
