import type { SubscriptionView } from '#contract/subscriptions.ts';

type Ended = Pick<
  SubscriptionView,
  'status' | 'canceled_at' | 'cancel_at' | 'current_period_start' | 'created_at' | 'ended_at'
>;

/** How long Stripe waits for the first payment. */
export const FIRST_PAYMENT_MS = 23 * 3_600_000;

/**
 * The status as staff read it. One that nobody had paid yet when somebody canceled it is `incomplete_expired` to Stripe, as
 * one that ran out of time is; to the clinic it was canceled.
 */
export function shownStatus(subscription: Ended): SubscriptionView['status'] {
  const { status, canceled_at, cancel_at } = subscription;
  if (status !== 'incomplete_expired' || !canceled_at) return status;
  // An end that was planned from the start says nothing about who ended it before: the time that it was given does.
  if (cancel_at && !endedEarly(subscription)) return status;
  return 'canceled';
}

function endedEarly({ ended_at, current_period_start, created_at }: Ended): boolean {
  return !!ended_at && Date.parse(ended_at) - Date.parse(current_period_start ?? created_at) < FIRST_PAYMENT_MS;
}
