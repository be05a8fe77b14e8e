import { Temporal } from 'temporal-polyfill';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A local calendar day, `YYYY-MM-DD`. */
export type LocalDate = string;

const inZone = (at: number, zone: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);

export function isZone(zone: string): boolean {
  try {
    // Intl accepts offsets such as "+02:00" as zones, but PHP's zone list does not contain them.
    return /^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat('en-US', { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}

/** Returns the instant at which a local day starts; a day has 23 or 25 hours when DST changes. */
export const startOfDay = (date: LocalDate, zone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;

/**
 * Returns the instant of a local minute of the day; 1440 is the next midnight. A minute that DST skips moves forward.
 */
export function atMinute(date: LocalDate, minute: number, zone: string): number {
  const midnight = Temporal.PlainDate.from(date).toPlainDateTime();
  return midnight.add({ minutes: minute }).toZonedDateTime(zone).epochMilliseconds;
}

export const addDays = (date: LocalDate, days: number): LocalDate =>
  Temporal.PlainDate.from(date).add({ days }).toString();

export const localDate = (at: number, zone: string): LocalDate => inZone(at, zone).toPlainDate().toString();

/** Returns the minutes since local midnight. */
export function minuteOf(at: number, zone: string): number {
  const { hour, minute } = inZone(at, zone);
  return hour * 60 + minute;
}

/** Returns 0 for Monday to 6 for Sunday. */
export const weekday = (date: LocalDate): number => Temporal.PlainDate.from(date).dayOfWeek - 1;

/** For example `2022-06-28T14:00:00+0800`: the offset has no colon, as in Acuity's documented samples. */
export function formatInstant(at: number, zone: string): string {
  const local = inZone(at, zone);
  return `${local.toPlainDateTime().toString({ smallestUnit: 'second' })}${local.offset.replace(':', '')}`;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** For example `June 28, 2022`. */
export function formatLongDate(at: number, zone: string): string {
  const local = inZone(at, zone);
  return `${MONTHS[local.month - 1]} ${local.day}, ${local.year}`;
}

/** For example `2:00pm`. */
export function formatWallClock(at: number, zone: string): string {
  const { hour, minute } = inZone(at, zone);
  return `${hour % 12 || 12}:${String(minute).padStart(2, '0')}${hour < 12 ? 'am' : 'pm'}`;
}

export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  return tryParse(() => Temporal.PlainDate.from(text, { overflow: 'reject' })) !== null;
}

/**
 * Parses an instant to milliseconds, or returns null. Acuity accepts everything that PHP's `strtotime` does; the
 * emulator accepts only ISO 8601, to detect imprecise clients. Text without an offset is in `zone`.
 */
export function parseInstant(text: string, zone: string): number | null {
  const form = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/.exec(text);
  if (!form) return null;
  const [, date, time, offset] = form;
  return tryParse(() =>
    offset
      ? Temporal.Instant.from(`${date}T${time}${offset}`).epochMilliseconds
      : Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone).epochMilliseconds,
  );
}

function tryParse<T>(parse: () => T): T | null {
  try {
    return parse();
  } catch {
    return null;
  }
}
