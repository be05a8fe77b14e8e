import type { Subscription, SubscriptionItem } from '../objects.ts';

export type Period = { start: number; end: number };

/**
 * An item's own period (Stripe, "Mixed interval subscriptions"); kept with it only while the intervals differ. The
 * subscription's reaches from the latest of their starts to the earliest of their ends.
 */
export const periodOf = ({ _period }: Pick<Subscription, '_period'>, { period }: SubscriptionItem): Period =>
  period ?? _period;
