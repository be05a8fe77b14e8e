import { type Attention, needsAttention } from '#contract/needs-attention.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { methodName } from '#web/ui/card-brand.ts';

const WORDS: Record<Attention, string> = {
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
  return why === null || why === 'not_paid' || why === 'never_paid' ? null : WORDS[why];
}

type Method = NonNullable<SubscriptionView['payment_method']>;

/** "Visa, ending in 4242" */
export const cardLabel = (method: Pick<Method, 'type' | 'brand' | 'last4'>): string =>
  method.last4 ? `${methodName(method)}, ending in ${method.last4}` : methodName(method);

/** "03/2040" */
export const cardExpiry = ({ exp_month, exp_year }: Pick<Method, 'exp_month' | 'exp_year'>): string | null =>
  exp_month && exp_year ? `${String(exp_month).padStart(2, '0')}/${exp_year}` : null;
