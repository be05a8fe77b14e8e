import type { SubscriptionView } from '#contract/subscriptions.ts';

type Ended = Pick<
  SubscriptionView,
  'status' | 'canceled_at' | 'cancel_at' | 'current_period_start' | 'created_at' | 'ended_at'
>;

/** How long Stripe waits for the first payment. */
export const FIRST_PAYMENT_MS = 23 * 3_600_000;

/**
 * The status for staff. Stripe reports `incomplete_expired` for a subscription that was canceled before its first
 * payment as well as for an expired one; the former is shown as canceled.
 */
export function shownStatus(subscription: Ended): SubscriptionView['status'] {
  const { status, canceled_at, cancel_at } = subscription;
  if (status !== 'incomplete_expired' || !canceled_at) return status;
  // With an end planned from the start, `canceled_at` proves no cancellation; the time of the end does.
  if (cancel_at && !endedEarly(subscription)) return status;
  return 'canceled';
}

function endedEarly({ ended_at, current_period_start, created_at }: Ended): boolean {
  return !!ended_at && Date.parse(ended_at) - Date.parse(current_period_start ?? created_at) < FIRST_PAYMENT_MS;
}
