import { Temporal } from 'temporal-polyfill';
import { addDays, type Day, localDay, toMinute } from '#server/core/zone.ts';

/** Returns the instant of an hour on a day: the end of the gap when clocks skip it, the first when it occurs twice. */
export const hourOf = (day: Day, hour: number, zone: string): Date =>
  new Date(
    Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from({ hour }) })
      .epochMilliseconds,
  );

/**
 * Returns when the next list is due: at its hour today, or tomorrow when that has passed. Never for the day that was
 * started already or one before it, in any zone.
 */
export function nextListAt({ hour, day }: { hour: number; day: Day | null }, zone: string, now: Date): Date {
  const today = localDay(toMinute(now), zone);
  const isOver = (day !== null && day >= today) || hourOf(today, hour, zone) <= now;
  const first = isOver ? addDays(today, 1) : today;
  return hourOf(day !== null && first <= day ? addDays(day, 1) : first, hour, zone);
}
