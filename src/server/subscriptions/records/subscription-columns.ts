import type { Subscription } from '#generated/prisma/client.ts';
import type { ProcessorSubscription } from '#server/providers/stripe.ts';
import { addIntervals } from './add-intervals.ts';

/** The columns that are the processor's, as JSON where they are JSON. Never a client secret. */
export type Facts = Pick<
  Subscription,
  | 'status'
  | 'name'
  | 'planPrice'
  | 'currency'
  | 'billingPeriod'
  | 'billingInterval'
  | 'cancelAtPeriodEnd'
  | 'cancelAt'
  | 'canceledAt'
  | 'endedAt'
  | 'currentPeriodStart'
  | 'currentPeriodEnd'
  | 'trialStart'
  | 'trialEnd'
> & {
  items: { id: string; price_id: string; quantity: number }[];
  discount: { code: string | null; percent_off: number | null; amount_off: number | null } | null;
  latestInvoice: StoredInvoice | null;
  pendingSetupIntent: { id: string; status: string } | null;
};
export type StoredInvoice = {
  id: string;
  status: string | null;
  amount_due: number;
  currency: string;
  payment_intent: { id: string; status: string } | null;
};

/**
 * What we keep of a processor subscription. An end that stands exactly one interval after the trial is our own way of
 * saying `cancel_at_period_end` (api.md §7), so it reads as that.
 */
export function subscriptionColumns(from: ProcessorSubscription): Facts {
  const { latestInvoice: invoice, pendingSetupIntent: setup, discount } = from;
  const afterTrial =
    from.trialEnd && addIntervals(from.trialEnd, from.recurring.interval, from.recurring.interval_count);
  return {
    status: from.status,
    name: from.name,
    planPrice: from.planPrice === null ? null : BigInt(from.planPrice),
    currency: from.currency,
    billingPeriod: from.recurring.interval,
    billingInterval: from.recurring.interval_count,
    items: from.items.map(({ id, priceId, quantity }) => ({ id, price_id: priceId, quantity })),
    cancelAtPeriodEnd: from.cancelAtPeriodEnd || (!!from.cancelAt && from.cancelAt.getTime() === afterTrial?.getTime()),
    cancelAt: from.cancelAt,
    canceledAt: from.canceledAt,
    endedAt: from.endedAt,
    currentPeriodStart: from.currentPeriodStart,
    currentPeriodEnd: from.currentPeriodEnd,
    trialStart: from.trialStart,
    trialEnd: from.trialEnd,
    discount: discount && {
      code: discount.code,
      percent_off: discount.percentOff,
      amount_off: discount.amountOff,
    },
    latestInvoice: invoice && {
      id: invoice.id,
      status: invoice.status,
      amount_due: invoice.amountDue,
      currency: invoice.currency,
      payment_intent: invoice.paymentIntent && { id: invoice.paymentIntent.id, status: invoice.paymentIntent.status },
    },
    pendingSetupIntent: setup && { id: setup.id, status: setup.status },
  };
}
