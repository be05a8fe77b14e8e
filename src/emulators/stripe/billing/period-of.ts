import type { Subscription, SubscriptionItem } from '../objects.ts';

export type Period = { start: number; end: number };

/**
 * An item's own period (Stripe, "Mixed interval subscriptions"), stored on the item only while the intervals
 * differ. The subscription's period is from the latest start to the earliest end of its items.
 */
export const periodOf = ({ _period }: Pick<Subscription, '_period'>, { period }: SubscriptionItem): Period =>
  period ?? _period;
