import { DAY, MINUTE } from '#server/core/clock.ts';
import { addDays, fromMinute, localDay, type Minute, offsetAt, startOfDay, toMinute } from '#server/core/zone.ts';

/**
 * Quiet hours of the patient's day in minutes from midnight; when `from` is greater than `until` they span midnight.
 */
export type Quiet = { from: number; until: number } | null;

/** A reminder moved by quiet hours comes at least this many minutes before the appointment. */
const MIN_NOTICE_MINUTES = 30;
const DAY_MINUTES = DAY / MINUTE;

const minuteOfDay = (minute: Minute, zone: string): number =>
  (((minute + offsetAt(minute, zone)) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;

export function isQuiet(at: Date, quiet: Quiet, zone: string): boolean {
  if (!quiet || quiet.from === quiet.until) return false;
  const now = minuteOfDay(toMinute(at), zone);
  return quiet.from < quiet.until ? now >= quiet.from && now < quiet.until : now >= quiet.from || now < quiet.until;
}

/** Returns the instant of a minute of the local day; the end of the gap when clocks skip it. */
function onClock(day: string, minuteOfThatDay: number, zone: string): Minute {
  const midnight = startOfDay(day, zone);
  const guess = midnight + minuteOfThatDay;
  // The offset may change between midnight and that minute.
  return guess + offsetAt(midnight, zone) - offsetAt(guess, zone);
}

/** Returns the end of the quiet hours that contain this instant. */
export function endOfQuiet(at: Date, quiet: NonNullable<Quiet>, zone: string): Date {
  const minute = toMinute(at);
  const today = localDay(minute, zone);
  return later(minute, [today, addDays(today, 1)], quiet.until, zone);
}

function later(minute: Minute, days: string[], minuteOfThatDay: number, zone: string): Date {
  const next = days.map((day) => onClock(day, minuteOfThatDay, zone)).find((one) => one > minute);
  let at = next ?? minute;
  // On the day that clocks go back, the same hour occurs twice.
  while (minuteOfDay(at, zone) < minuteOfThatDay && minuteOfThatDay - minuteOfDay(at, zone) <= 120) at += 1;
  return fromMinute(at);
}

/** Returns the last minute before the quiet hours that contain this instant. */
function beforeQuiet(at: Date, quiet: NonNullable<Quiet>, zone: string): Date {
  const minute = toMinute(at);
  const today = localDay(minute, zone);
  const begins = [today, addDays(today, -1)].map((day) => onClock(day, quiet.from, zone)).find((one) => one <= minute);
  let last = (begins ?? minute) - 1;
  while (isQuiet(fromMinute(last), quiet, zone)) last -= 1;
  return fromMinute(last);
}

/**
 * Returns when a reminder is sent: `minutesBefore` the appointment; within the patient's quiet hours, at their end if
 * that leaves half an hour, otherwise before they start.
 */
export function reminderTime(startAt: Date, minutesBefore: number, quiet: Quiet, zone: string): Date {
  const planned = new Date(startAt.getTime() - minutesBefore * MINUTE);
  if (!quiet || !isQuiet(planned, quiet, zone)) return planned;
  const after = endOfQuiet(planned, quiet, zone);
  const isInTime = startAt.getTime() - after.getTime() >= Math.min(MIN_NOTICE_MINUTES, minutesBefore) * MINUTE;
  return isInTime && !isQuiet(after, quiet, zone) ? after : beforeQuiet(planned, quiet, zone);
}
