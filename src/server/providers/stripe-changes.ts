import type Stripe from 'stripe';
import type { Services } from '../core/context.ts';
import { SAFE } from './stripe-faults.ts';
import { readerFor } from './stripe-read.ts';
import * as shapes from './stripe-shapes.ts';

/** An item that is changed by its id, taken out, or new. */
export type ItemChange = { id?: string; price?: string; quantity?: number; deleted?: true };
export type SubscriptionChange = {
  items: ItemChange[];
  proration: 'now' | 'next_invoice' | 'none';
  prorationDate: Date | null;
  /** A scheduled end is called off: one of the period, or one at an instant. */
  undo: 'period_end' | 'instant' | null;
};

const BEHAVIOR = { now: 'always_invoice', next_invoice: 'create_prorations', none: 'none' } as const;
const UNDO = { period_end: { cancel_at_period_end: false }, instant: { cancel_at: '' as const } };
const CHANGING = { ...SAFE, checking: 'We are checking with Stripe whether the subscription was changed.' };

const paramsOf = ({ items, proration, prorationDate }: SubscriptionChange) => ({
  ...(items.length > 0 && { items }),
  proration_behavior: BEHAVIOR[proration],
  ...(prorationDate && { proration_date: Math.floor(prorationDate.getTime() / 1000) }),
});

/** Changes of what a subscription consists of, and what they would cost. Asking twice is asking once. */
export function stripeChangesOf({ config, kept }: Pick<Services, 'config' | 'kept'>) {
  const stripe = kept.providers.stripe();
  const read = readerFor(config);
  const on = (stripeAccount: string): Stripe.RequestOptions => ({ stripeAccount });
  const Changed = shapes.Subscription.pick({ id: true, status: true });

  return {
    /** What is due at once is charged to the card on file; what that refuses is left open for the patient to pay. */
    change: (accountId: string, id: string, wanted: SubscriptionChange) =>
      read(
        Changed,
        () =>
          stripe.subscriptions.update(
            id,
            { ...paramsOf(wanted), ...(wanted.undo && UNDO[wanted.undo]), payment_behavior: 'allow_incomplete' },
            on(accountId),
          ),
        CHANGING,
      ),

    /** The next invoice if the subscription were changed like that: of this moment when the change is billed at once. */
    preview: (accountId: string, id: string, wanted: SubscriptionChange): Promise<shapes.InvoicePreview> =>
      read(shapes.InvoicePreview, () =>
        stripe.invoices.createPreview({ subscription: id, subscription_details: paramsOf(wanted) }, on(accountId)),
      ),
  };
}
