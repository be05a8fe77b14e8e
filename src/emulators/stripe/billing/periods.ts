import type { Ledger } from '../ledger.ts';
import type { Subscription, SubscriptionItem } from '../objects.ts';
import { stored } from '../state.ts';
import { addIntervals, nextBoundary, type Period, periodOf, recurringOf } from './calendar.ts';

type Recurring = ReturnType<typeof recurringOf>;

const intervalOf = ({ data }: Ledger, { price }: SubscriptionItem): Recurring =>
  recurringOf(stored(data, 'price', price));
const isSame = (a: Recurring, b: Recurring) => a.interval === b.interval && a.interval_count === b.interval_count;

export const lastEnd = (subscription: Subscription): number =>
  Math.max(...subscription._items.map((item) => periodOf(subscription, item).end));

/** Sets one period for all items, as in a trial. */
export function sharePeriod(subscription: Subscription, period: Period): void {
  subscription._period = period;
  for (const item of subscription._items) delete item.period;
}

function setPeriods(subscription: Subscription, periods: Period[]): void {
  const period = {
    start: Math.max(...periods.map(({ start }) => start)),
    end: Math.min(...periods.map(({ end }) => end)),
  };
  sharePeriod(subscription, period);
  if (periods.some(({ start, end }) => start !== period.start || end !== period.end))
    for (const [index, item] of subscription._items.entries()) {
      const own = periods[index];
      if (!own) throw new Error(`No period for ${item.id}`);
      item.period = own;
    }
}

/** Starts each item's period at `from`; it ends at the next boundary counted from the anchor. */
export function startPeriods(ledger: Ledger, subscription: Subscription, from: number): void {
  const ends = (item: SubscriptionItem) => {
    const { interval, interval_count } = intervalOf(ledger, item);
    return nextBoundary(subscription.billing_cycle_anchor, interval, interval_count, from);
  };
  setPeriods(
    subscription,
    subscription._items.map((item) => ({ start: from, end: ends(item) })),
  );
}

/**
 * Starts the next period of the items whose period ends first.
 * @returns the ids of those items, which are billed
 */
export function renewPeriods(ledger: Ledger, subscription: Subscription): string[] {
  const at = subscription._period.end;
  const due = subscription._items.filter((item) => periodOf(subscription, item).end <= at);
  const after = subscription._items.map((item) => {
    if (!due.includes(item)) return periodOf(subscription, item);
    const { interval, interval_count } = intervalOf(ledger, item);
    return { start: at, end: nextBoundary(subscription.billing_cycle_anchor, interval, interval_count, at) };
  });
  setPeriods(subscription, after);
  return due.map(({ id }) => id);
}

/** Returns true when no interval continues, so that a new period starts at once. */
export function changesInterval(ledger: Ledger, { _items }: Subscription, items: SubscriptionItem[]): boolean {
  return !items.some((item) => _items.some((other) => isSame(intervalOf(ledger, item), intervalOf(ledger, other))));
}

/**
 * Assigns changed items to the running periods of their intervals. The
 * first item of a new interval joins the interval's current period.
 */
export function placeItems(ledger: Ledger, subscription: Subscription, items: SubscriptionItem[], now: number): void {
  const periods = items.map((item) => {
    const recurring = intervalOf(ledger, item);
    const sameInterval = subscription._items.find((other) => isSame(intervalOf(ledger, other), recurring));
    if (sameInterval) return periodOf(subscription, sameInterval);
    const { interval, interval_count } = recurring;
    const end = nextBoundary(subscription.billing_cycle_anchor, interval, interval_count, now);
    const start = addIntervals(end, interval, -interval_count);
    return { start, end };
  });
  subscription._items = items;
  setPeriods(subscription, periods);
}
