import type { Stripe, StripeElements } from '@stripe/stripe-js';
import type { Subscription } from './api-types.ts';

/**
 * What is typed into Stripe's own fields goes to Stripe alone.
 * @returns false when a field lacks something, which is said beside it
 * @throws what Stripe says of a card that is refused
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
