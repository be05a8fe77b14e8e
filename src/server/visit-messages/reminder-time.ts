import { DAY, MINUTE } from '#server/core/clock.ts';
import { addDays, fromMinute, localDay, type Minute, offsetAt, startOfDay, toMinute } from '#server/core/zone.ts';

/** Of a day of the patient's, in minutes from midnight; where it begins after it ends, it goes over midnight. */
export type Quiet = { from: number; until: number } | null;

/** What a reminder is moved by within quiet hours leaves the patient at least so long before the visit. */
const LEAST_NOTICE = 30;
const DAY_MINUTES = DAY / MINUTE;

const minuteOfDay = (minute: Minute, zone: string): number =>
  (((minute + offsetAt(minute, zone)) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;

export function isQuiet(at: Date, quiet: Quiet, zone: string): boolean {
  if (!quiet || quiet.from === quiet.until) return false;
  const now = minuteOfDay(toMinute(at), zone);
  return quiet.from < quiet.until ? now >= quiet.from && now < quiet.until : now >= quiet.from || now < quiet.until;
}

/** The instant at which the zone's clock shows this minute of a day; where it leaps over that, the leap's end. */
function onClock(day: string, minuteOfThatDay: number, zone: string): Minute {
  const midnight = startOfDay(day, zone);
  const guess = midnight + minuteOfThatDay;
  // The clock may change between midnight and then.
  return guess + offsetAt(midnight, zone) - offsetAt(guess, zone);
}

/** When the quiet hours end that hold this instant. */
export function endOfQuiet(at: Date, quiet: NonNullable<Quiet>, zone: string): Date {
  const minute = toMinute(at);
  const today = localDay(minute, zone);
  return later(minute, [today, addDays(today, 1)], quiet.until, zone);
}

function later(minute: Minute, days: string[], minuteOfThatDay: number, zone: string): Date {
  const found = days.map((day) => onClock(day, minuteOfThatDay, zone)).find((one) => one > minute);
  let at = found ?? minute;
  // On the day that the clock is put back the same hour comes twice.
  while (minuteOfDay(at, zone) < minuteOfThatDay && minuteOfThatDay - minuteOfDay(at, zone) <= 120) at += 1;
  return fromMinute(at);
}

/** The last minute before the quiet hours that hold this instant. */
function beforeQuiet(at: Date, quiet: NonNullable<Quiet>, zone: string): Date {
  const minute = toMinute(at);
  const today = localDay(minute, zone);
  const begins = [today, addDays(today, -1)].map((day) => onClock(day, quiet.from, zone)).find((one) => one <= minute);
  let last = (begins ?? minute) - 1;
  while (isQuiet(fromMinute(last), quiet, zone)) last -= 1;
  return fromMinute(last);
}

/**
 * When a reminder is sent: so many minutes before the visit; where that lies in the patient's quiet hours, at their end if
 * that leaves half an hour, or else before they begin.
 */
export function reminderTime(startAt: Date, minutesBefore: number, quiet: Quiet, zone: string): Date {
  const meant = new Date(startAt.getTime() - minutesBefore * MINUTE);
  if (!quiet || !isQuiet(meant, quiet, zone)) return meant;
  const after = endOfQuiet(meant, quiet, zone);
  const isInTime = startAt.getTime() - after.getTime() >= Math.min(LEAST_NOTICE, minutesBefore) * MINUTE;
  return isInTime && !isQuiet(after, quiet, zone) ? after : beforeQuiet(meant, quiet, zone);
}
