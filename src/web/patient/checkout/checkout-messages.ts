import type { CheckoutView } from '#contract/checkout-links.ts';
import { waitsForCard } from '#contract/subscription-status.ts';

/**
 * Maps a Stripe.js error to a message for the patient: Stripe's own message for card errors, which it writes for users;
 * null for field errors, which Stripe shows next to the field. `done` means already paid or saved, for example in
 * another window.
 */
export function stripeErrorMessage({ type, code, message }: { type: string; code?: string; message?: string }) {
  if (type === 'validation_error') return null;
  if (code?.endsWith('_intent_unexpected_state')) return 'done';
  if (type === 'card_error' || code?.endsWith('_intent_authentication_failure'))
    return message ?? 'The card was declined. Try another one.';
  return 'This did not work just now. Check your connection and try again: nothing is paid twice.';
}

export type Outcome = 'done' | 'working' | 'ended';

/** The outcome of a link that requires no further action. */
export function outcomeOf({ status, pause_reason }: Pick<CheckoutView, 'status' | 'pause_reason'>): Outcome {
  if (status === 'paused') return waitsForCard({ pause_reason }) ? 'working' : 'done';
  if (status === 'canceled' || status === 'incomplete_expired') return 'ended';
  return status === 'active' || status === 'trialing' ? 'done' : 'working';
}
