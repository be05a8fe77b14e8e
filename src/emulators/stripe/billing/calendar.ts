import type { Interval, Price, Subscription, SubscriptionItem } from '../objects.ts';

export const HOUR = 3600;
export const DAY = 24 * HOUR;
const FIXED: Partial<Record<Interval, number>> = { day: DAY, week: 7 * DAY };

/**
 * Returns `anchor` plus `count` intervals, in UTC seconds. A day
 * that the month lacks becomes its last day, as in Stripe.
 */
export function addIntervals(anchor: number, interval: Interval, count: number): number {
  const fixed = FIXED[interval];
  if (fixed) return anchor + count * fixed;
  const from = new Date(anchor * 1000);
  const months = interval === 'year' ? 12 * count : count;
  const to = new Date(from);
  to.setUTCDate(1);
  to.setUTCMonth(from.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return to.getTime() / 1000;
}

/**
 * Returns the first billing boundary after `after`, counted from the
 * anchor so that short months do not shift the day permanently.
 */
export function nextBoundary(anchor: number, interval: Interval, intervalCount: number, after: number): number {
  const length = (FIXED[interval] ?? (interval === 'year' ? 366 : 31) * DAY) * intervalCount;
  let step = Math.max(0, Math.floor((after - anchor) / length));
  while (addIntervals(anchor, interval, step * intervalCount) <= after) step++;
  return addIntervals(anchor, interval, step * intervalCount);
}

/** @throws Error for a one-time price, which no subscription has */
export function recurringOf({ id, recurring }: Price): { interval: Interval; interval_count: number } {
  if (!recurring) throw new Error(`Price ${id} is not recurring`);
  return recurring;
}

export type Period = { start: number; end: number };

/**
 * An item's own period (Stripe, "Mixed interval subscriptions"), stored on the item only while the intervals
 * differ. The subscription's period is from the latest start to the earliest end of its items.
 */
export const periodOf = ({ _period }: Pick<Subscription, '_period'>, { period }: SubscriptionItem): Period =>
  period ?? _period;
