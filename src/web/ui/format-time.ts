const LOCALE = 'en-US';

const SHAPES = {
  date: { month: 'short', day: 'numeric', year: 'numeric' },
  day: { weekday: 'long', month: 'long', day: 'numeric' },
  weekday: { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' },
  shortDay: { weekday: 'short' },
  time: { hour: 'numeric', minute: '2-digit' },
  datetime: { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric', hour: 'numeric', minute: '2-digit' },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

export type TimeShape = keyof typeof SHAPES;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Formatters are kept: to create one takes far longer than to format with it. */
function formatterOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formatters.set(key, formatter);
  return formatter;
}

/** Formats an instant in an IANA zone: "Mon, Nov 23, 2026, 9:00 AM". */
export function formatInstant(instant: string, shape: TimeShape, timeZone: string): string {
  // Newer ICU versions put a narrow no-break space before AM/PM, where Node and browsers differ.
  return formatterOf(LOCALE, { ...SHAPES[shape], timeZone })
    .format(new Date(instant))
    .replaceAll('\u202f', ' ');
}

/** Formats a date without a time ("1990-02-28", a birth date), independent of the zone. */
export function formatPlainDate(date: string): string {
  return formatterOf(LOCALE, { ...SHAPES.date, timeZone: 'UTC' }).format(new Date(date));
}

/** The local date in a zone as YYYY-MM-DD. */
export function localDate(instant: string | Date, timeZone: string): string {
  const parts = formatterOf('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return parts.format(new Date(instant));
}

/** The hour of the day (0–23) in a zone. */
export function localHour(instant: string, timeZone: string): number {
  return Number(formatterOf('en-GB', { timeZone, hour: '2-digit' }).format(new Date(instant)));
}

export function addDays(date: string, days: number): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}

/** Returns the text if it is a calendar day in the form YYYY-MM-DD, else null. */
export function plainDateOf(text: string): string | null {
  // Years 1000 to 2999, so that no zone and no next day changes the number of digits.
  if (!/^[12]\d{3}-\d{2}-\d{2}$/.test(text)) return null;
  const day = new Date(`${text}T00:00:00Z`);
  // JavaScript parses February 30 as a day in March.
  return Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text ? null : text;
}

/** "New York" for "America/New_York". */
export function zoneName(timeZone: string): string {
  return (timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ');
}

/** Returns true if two zones show the same local time at an instant. */
export function isSameLocalTime(instant: string, zoneA: string, zoneB: string): boolean {
  return formatInstant(instant, 'datetime', zoneA) === formatInstant(instant, 'datetime', zoneB);
}

/**
 * Formats the time of an appointment in one line: in the reader's zone, plus the calendar's zone when it differs.
 * "Mon, Nov 23, 2026, 2:30 PM (9:30 AM in New York)", with the weekday when the date differs.
 */
export function appointmentTime(instant: string, readerZone: string, calendarZone: string): string {
  const readerTime = formatInstant(instant, 'datetime', readerZone);
  const calendarTime = calendarZoneTime(instant, readerZone, calendarZone);
  return calendarTime ? `${readerTime} (${calendarTime})` : readerTime;
}

/** "9:30 AM in New York", or "Sun, 11:30 PM in New York" on another day; null when both zones show the same time. */
export function calendarZoneTime(instant: string, readerZone: string, calendarZone: string): string | null {
  if (isSameLocalTime(instant, readerZone, calendarZone)) return null;
  const isOtherDay = localDate(instant, readerZone) !== localDate(instant, calendarZone);
  const day = isOtherDay ? `${formatInstant(instant, 'shortDay', calendarZone)}, ` : '';
  return `${day}${formatInstant(instant, 'time', calendarZone)} in ${zoneName(calendarZone)}`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** "in 2 hours", "3 days ago", "just now"; `now` is in milliseconds. */
export function formatRelative(instant: string, now: number): string {
  const seconds = Math.round((new Date(instant).getTime() - now) / 1000);
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size)
      return new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' }).format(Math.round(seconds / size), unit);
  return 'just now';
}
