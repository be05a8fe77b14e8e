// Without schemas, so that pages can import it.
import type { SubscriptionView } from './subscriptions.ts';

/** Final statuses of a subscription. */
export const ENDED_STATUSES: readonly string[] = [
  'canceled',
  'incomplete_expired',
] satisfies SubscriptionView['status'][];

/** Statuses in which a payment is due: `needsAttention` reports them as `not_paid` or `never_paid`. */
export const UNPAID_STATUSES: readonly string[] = [
  'past_due',
  'unpaid',
  'incomplete',
] satisfies SubscriptionView['status'][];

/**
 * Whether a subscription is paused because its trial ended without a card: it resumes, and is billed, once there is
 * one.
 */
export const waitsForCard = ({ pause_reason }: { pause_reason?: SubscriptionView['pause_reason'] }): boolean =>
  pause_reason === 'trial_end_without_payment_method';
