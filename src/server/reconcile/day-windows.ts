import type { Context } from '#server/core/context.ts';
import { addDays, type Day, localDay, startOfDay, toMinute } from '#server/core/zone.ts';

/** Whole days in the account's time zone, both inclusive. */
export type DayWindow = { first: Day; last: Day };

const DAYS_BACK = 1;
const DAYS_AHEAD = 90;

/** All compared days: from yesterday to ninety days ahead. */
export function wholeWindow({ clock }: Pick<Context, 'clock'>, zone: string): DayWindow {
  const today = localDay(toMinute(clock.now()), zone);
  return { first: addDays(today, -DAYS_BACK), last: addDays(today, DAYS_AHEAD) };
}

const daysOf = ({ first, last }: DayWindow): number =>
  Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1;

/** Splits a window that exceeds one response in two halves; null for a single day. */
export function splitWindow(window: DayWindow): [DayWindow, DayWindow] | null {
  const days = daysOf(window);
  if (days < 2) return null;
  const middle = addDays(window.first, Math.floor(days / 2) - 1);
  return [
    { first: window.first, last: middle },
    { first: addDays(middle, 1), last: window.last },
  ];
}

/** The windows that fitted last time, adjusted to the days that are compared now. */
export function adjustWindows(fitted: DayWindow[], whole: DayWindow): DayWindow[] {
  const inside = fitted
    .filter(({ first, last }) => last >= whole.first && first <= whole.last)
    .map(({ first, last }) => ({ first, last: last > whole.last ? whole.last : last }));
  if (inside.length === 0) return [whole];
  inside[0]!.first = whole.first;
  inside.at(-1)!.last = whole.last;
  return inside;
}

/** The start of a window and of the day after it. */
export const boundsOf = ({ first, last }: DayWindow, zone: string): { from: Date; until: Date } => ({
  from: new Date(startOfDay(first, zone) * 60_000),
  until: new Date(startOfDay(addDays(last, 1), zone) * 60_000),
});
