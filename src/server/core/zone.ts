import { Temporal } from 'temporal-polyfill';

/** Unix minutes: slots are computed in whole minutes and formatted only at the end. */
export type Minute = number;
/** A local calendar day, `YYYY-MM-DD`. */
export type Day = string;

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

export const toMinute = (at: Date): Minute => Math.floor(at.getTime() / MINUTE_MS);
export const fromMinute = (minute: Minute): Date => new Date(minute * MINUTE_MS);

/** `from` and `until` (exclusive) in Unix minutes; the zone's offset is constant between them. */
type Span = { from: Minute; until: Minute; offset: number };
/** Cached offsets: the same for all tenants and permanently valid, so they are not part of the services. */
const spans = new Map<string, Span[]>();
const MAX_ZONES = 600;

/** Returns whether the zone is supported, also by `Intl`. */
export function isZone(zone: string): boolean {
  if (spans.has(zone)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return Number.isInteger(offsetAt(0, zone));
  } catch {
    return false;
  }
}

/** Returns the zone's offset from UTC in minutes at the instant. */
export function offsetAt(minute: Minute, zone: string): number {
  const cached = spans.get(zone) ?? [];
  const hit = cached.find((span) => minute >= span.from && minute < span.until);
  if (hit) return hit.offset;
  const at = Temporal.Instant.fromEpochMilliseconds(minute * MINUTE_MS).toZonedDateTimeISO(zone);
  // A change at exactly this instant belongs to this span, and "previous" is exclusive.
  const began = at.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
  const ends = at.getTimeZoneTransition('next');
  const span = {
    from: began ? began.epochMilliseconds / MINUTE_MS : Number.NEGATIVE_INFINITY,
    until: ends ? ends.epochMilliseconds / MINUTE_MS : Number.POSITIVE_INFINITY,
    offset: Math.round(at.offsetNanoseconds / 6e10),
  };
  if (spans.size > MAX_ZONES) spans.clear();
  spans.set(zone, [...cached.slice(-40), span]);
  return span.offset;
}

const two = (value: number) => String(value).padStart(2, '0');
const CLOCK = Array.from({ length: DAY_MINUTES }, (_, m) => `T${two(Math.floor(m / 60))}:${two(m % 60)}:00`);
const days = new Map<number, Day>();

function dayText(day: number): Day {
  let text = days.get(day);
  if (!text) {
    text = new Date(day * DAY_MINUTES * MINUTE_MS).toISOString().slice(0, 10);
    if (days.size > 20_000) days.clear();
    days.set(day, text);
  }
  return text;
}

/** An offset is never more than a day. */
const OFFSETS = Array.from({ length: 2 * DAY_MINUTES + 1 }, (_, n) => {
  const ahead = Math.abs(n - DAY_MINUTES);
  return `${n < DAY_MINUTES ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
});

/** Formats `2026-11-23T09:00:00-05:00`, the instant in the zone, from tables instead of a slow formatter. */
export function stamp(minute: Minute, zone: string): string {
  const offset = offsetAt(minute, zone);
  const local = minute + offset;
  const day = Math.floor(local / DAY_MINUTES);
  return dayText(day) + CLOCK[local - day * DAY_MINUTES] + OFFSETS[offset + DAY_MINUTES];
}

/** Returns the local day of an instant. */
export const localDay = (minute: Minute, zone: string): Day =>
  dayText(Math.floor((minute + offsetAt(minute, zone)) / DAY_MINUTES));

/** Returns the instant at which a local day begins; the zone's rules yield days of 23 and 25 hours. */
export const startOfDay = (day: Day, zone: string): Minute =>
  Math.floor(Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds / MINUTE_MS);

export const addDays = (day: Day, count: number): Day => dayText(Date.parse(`${day}T00:00Z`) / 86_400_000 + count);
