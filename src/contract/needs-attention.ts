import type { SubscriptionView } from './subscriptions.ts';

const DAY_MS = 24 * 3_600_000;
export const CARD_NOTICE_DAYS = 30;
export const TRIAL_NOTICE_DAYS = 7;

/** Why staff should look at a subscription. */
export type Attention = 'not_paid' | 'never_paid' | 'card_expired' | 'card_expiring' | 'trial_without_card';

type AttentionFields = Pick<
  SubscriptionView,
  'status' | 'cancel_at' | 'current_period_end' | 'trial_end' | 'payment_method'
>;

/**
 * Returns the most urgent reason why a subscription needs attention at `now`, or null. The database column
 * `attention_from` is computed from the same rules: the first instant at which there is a reason, independent of the
 * current time, so that an index finds the rows that are due. Change both together. A subscription with a scheduled end
 * is not charged again, so its card and trial need no attention.
 */
export function needsAttention(subscription: AttentionFields, now: number): Attention | null {
  const { status, trial_end, payment_method: method } = subscription;
  if (status === 'past_due' || status === 'unpaid') return 'not_paid';
  if (status === 'incomplete') return 'never_paid';
  if (status === 'paused' && !method) return 'trial_without_card';
  if (!isChargedAgain(subscription)) return null;
  const cardEndsAt = method && cardEnd(method);
  if (cardEndsAt && cardEndsAt <= now) return 'card_expired';
  if (cardEndsAt && cardEndsAt - CARD_NOTICE_DAYS * DAY_MS <= now) return 'card_expiring';
  const endsSoon = trial_end && Date.parse(trial_end) - TRIAL_NOTICE_DAYS * DAY_MS <= now;
  return status === 'trialing' && !method && endsSoon ? 'trial_without_card' : null;
}

function isChargedAgain({ status, cancel_at, current_period_end }: AttentionFields): boolean {
  if (!['trialing', 'active', 'paused'].includes(status)) return false;
  return !cancel_at || !current_period_end || Date.parse(cancel_at) > Date.parse(current_period_end);
}

/** A card is valid until the end of its month. */
const cardEnd = ({ exp_year, exp_month }: { exp_year: number | null; exp_month: number | null }): number | null =>
  exp_year && exp_month ? Date.UTC(exp_year, exp_month) : null;
