import type { StripeRepairView, StripeSyncView } from '#contract/settings.ts';

const STATUSES: Record<string, string> = {
  incomplete: 'it waits for its first payment',
  incomplete_expired: 'it was never paid and has expired',
  trialing: 'it is on trial',
  active: 'it is active',
  past_due: 'a payment is due',
  canceled: 'it has ended',
  unpaid: 'it is unpaid',
  paused: 'it is paused',
};

/** What was put right, as a sentence's end: "A subscription: it has ended". */
export function repairWords({ what }: Pick<StripeRepairView, 'what'>): string {
  if (what === 'customer_deleted') return 'A customer was deleted at Stripe';
  if (what === 'adopted') return 'A subscription that was made at Stripe was taken in';
  const status = STATUSES[what.replace(/^status:/, '')];
  return status
    ? `A subscription was brought up to date: ${status}`
    : 'The details of a subscription were brought up to date';
}

/** "15 minutes", "60 seconds" */
export const boundWords = ({ bound_seconds }: Pick<StripeSyncView, 'bound_seconds'>): string =>
  bound_seconds >= 120 ? `${Math.round(bound_seconds / 60)} minutes` : `${bound_seconds} seconds`;
