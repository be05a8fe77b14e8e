import type { Stripe, StripeElements } from '@stripe/stripe-js';
import type { Subscription } from './api-types.ts';

/**
 * Stripe's own fields send their contents only to Stripe.
 * @returns false when a field is incomplete, which Stripe shows next to it
 * @throws Stripe's error for a declined card
 */
export async function confirmCard(
  stripe: Stripe,
  elements: StripeElements,
  nextAction: Subscription['next_action'],
): Promise<boolean> {
  const request = {
    elements,
    confirmParams: {
      return_url: window.location.origin + window.location.pathname,
    },
    redirect: 'if_required',
  } as const;
  // A trial has nothing to pay yet: the card is saved for later.
  const { error } =
    nextAction === 'setup'
      ? await stripe.confirmSetup(request)
      : await stripe.confirmPayment(request);
  if (error && error.type !== 'validation_error') throw error;
  return !error;
}
