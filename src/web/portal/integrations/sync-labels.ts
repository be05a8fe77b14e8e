import type { IntegrationProvider, StripeRepairView, StripeSyncView } from '#contract/integrations.ts';

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

const OF_ACUITY: Record<string, string> = {
  scheduled: 'A visit that was booked in Acuity was taken in',
  rescheduled: 'A visit was moved as in Acuity',
  canceled: 'A visit was canceled as in Acuity',
  gone: 'A visit was canceled that is not in Acuity any more',
  unmatched: 'A booking of someone who is no patient here was brought up to date',
  webhook: 'Acuity was asked again to send changes',
};

/** Describes a repair as the end of a sentence: "A subscription: it has ended". */
export function repairLabel(
  { what }: Pick<StripeRepairView, 'what'>,
  provider: IntegrationProvider = 'stripe',
): string {
  if (provider === 'acuity') return OF_ACUITY[what] ?? 'The details of a visit were brought up to date';
  if (what === 'customer_deleted') return 'A customer was deleted at Stripe';
  if (what === 'payments') return 'A payment was brought up to date';
  if (what === 'adopted') return 'A subscription that was made at Stripe was taken in';
  const status = STATUSES[what.replace(/^status:/, '')];
  return status
    ? `A subscription was brought up to date: ${status}`
    : 'The details of a subscription were brought up to date';
}

/** "15 minutes", "60 seconds" */
export const boundLabel = ({ bound_seconds }: Pick<StripeSyncView, 'bound_seconds'>): string =>
  bound_seconds >= 120 ? `${Math.round(bound_seconds / 60)} minutes` : `${bound_seconds} seconds`;
