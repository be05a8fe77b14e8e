import { Temporal } from 'temporal-polyfill';
import { addDays, type Day, localDay, toMinute } from '#server/core/zone.ts';

/** The instant at which a day's clock shows the hour; what the clock leaps over comes after the leap, what it shows twice at first. */
export const hourOf = (day: Day, hour: number, zone: string): Date =>
  new Date(
    Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from({ hour }) })
      .epochMilliseconds,
  );

/**
 * When the next list is due: at its hour today, or tomorrow where that is past. Never of the day that was begun already, nor
 * of one before, whatever its clock was then.
 */
export function nextList({ hour, day }: { hour: number; day: Day | null }, zone: string, now: Date): Date {
  const today = localDay(toMinute(now), zone);
  const isOver = (day !== null && day >= today) || hourOf(today, hour, zone) <= now;
  const first = isOver ? addDays(today, 1) : today;
  return hourOf(day !== null && first <= day ? addDays(day, 1) : first, hour, zone);
}
