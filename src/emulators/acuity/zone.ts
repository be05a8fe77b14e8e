import { Temporal } from 'temporal-polyfill';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A local calendar day, `YYYY-MM-DD`. */
export type LocalDate = string;

const inZone = (at: number, zone: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);

export function isZone(zone: string): boolean {
  try {
    // Bare offsets such as "+02:00" are zones to Intl, but PHP's zone list has none of them.
    return /^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat('en-US', { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}

/** The instant at which a local day begins; days of 23 and 25 hours follow from the zone's own rules. */
export const startOfDay = (date: LocalDate, zone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;

/** The instant of a wall-clock minute; 1440 is the next midnight. A minute that the clock skips moves forward. */
export function atMinute(date: LocalDate, minute: number, zone: string): number {
  const midnight = Temporal.PlainDate.from(date).toPlainDateTime();
  return midnight.add({ minutes: minute }).toZonedDateTime(zone).epochMilliseconds;
}

export const addDays = (date: LocalDate, days: number): LocalDate =>
  Temporal.PlainDate.from(date).add({ days }).toString();

export const localDate = (at: number, zone: string): LocalDate => inZone(at, zone).toPlainDate().toString();

/** Minutes of the wall clock since midnight. */
export function minuteOf(at: number, zone: string): number {
  const { hour, minute } = inZone(at, zone);
  return hour * 60 + minute;
}

/** 0 is Monday. */
export const weekday = (date: LocalDate): number => Temporal.PlainDate.from(date).dayOfWeek - 1;

/** `2022-06-28T14:00:00+0800`: the offset has no colon, as in every documented sample. */
export function formatInstant(at: number, zone: string): string {
  const local = inZone(at, zone);
  return `${local.toPlainDateTime().toString({ smallestUnit: 'second' })}${local.offset.replace(':', '')}`;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** `June 28, 2022` */
export function formatLongDate(at: number, zone: string): string {
  const local = inZone(at, zone);
  return `${MONTHS[local.month - 1]} ${local.day}, ${local.year}`;
}

/** `2:00pm` */
export function formatWallClock(at: number, zone: string): string {
  const { hour, minute } = inZone(at, zone);
  return `${hour % 12 || 12}:${String(minute).padStart(2, '0')}${hour < 12 ? 'am' : 'pm'}`;
}

export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  return parsed(() => Temporal.PlainDate.from(text, { overflow: 'reject' })) !== null;
}

/**
 * An instant in milliseconds, or null. The real service accepts whatever PHP's `strtotime` does; here only ISO 8601
 * forms pass, so that a sloppy caller is found early. Without an offset the text is read in `zone`.
 */
export function parseInstant(text: string, zone: string): number | null {
  const form = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/.exec(text);
  if (!form) return null;
  const [, date, time, offset] = form;
  return parsed(() =>
    offset
      ? Temporal.Instant.from(`${date}T${time}${offset}`).epochMilliseconds
      : Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone).epochMilliseconds,
  );
}

function parsed<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
