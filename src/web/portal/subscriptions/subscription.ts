import { type Attention, needsAttention } from '#contract/needs-attention.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { methodName } from '#web/ui/card-brand.ts';

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
  // With an end planned from the start, `canceled_at` does not mean a cancellation; compare the time of the end.
  if (cancel_at && !endedEarly(subscription)) return status;
  return 'canceled';
}

function endedEarly({ ended_at, current_period_start, created_at }: Ended): boolean {
  return !!ended_at && Date.parse(ended_at) - Date.parse(current_period_start ?? created_at) < FIRST_PAYMENT_MS;
}

const ATTENTION_LABELS: Record<Attention, string> = {
  not_paid: 'Not paid',
  never_paid: 'Not paid yet',
  card_expired: 'Card has run out',
  card_expiring: 'Card runs out soon',
  trial_without_card: 'Trial without a card',
};

/** Why a subscription needs attention, unless its status says so already. */
export function attentionLabel(subscription: SubscriptionView, now: number): string | null {
  const why = needsAttention(subscription, now);
  if (why === null && subscription.pause_collection && subscription.status === 'active')
    return 'Payments paused at Stripe';
  return why === null || why === 'not_paid' || why === 'never_paid' ? null : ATTENTION_LABELS[why];
}

/** Said of a subscription that ended because another one was created with a code, and of its bill. */
export const REPLACED = 'Replaced when the code was used';

type Method = NonNullable<SubscriptionView['payment_method']>;

/** "Visa, ending in 4242" */
export const cardLabel = (method: Pick<Method, 'type' | 'brand' | 'last4'>): string =>
  method.last4 ? `${methodName(method)}, ending in ${method.last4}` : methodName(method);

/** "03/2040" */
export const cardExpiry = ({ exp_month, exp_year }: Pick<Method, 'exp_month' | 'exp_year'>): string | null =>
  exp_month && exp_year ? `${String(exp_month).padStart(2, '0')}/${exp_year}` : null;
