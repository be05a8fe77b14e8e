import type Stripe from 'stripe';
import type { ProviderContext } from '../core/context.ts';
import { CarelaneError } from '../core/errors.ts';
import { SAFE, StripeRefusal } from './stripe-faults.ts';
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
  /** Its trial is over. Only to be asked for by itself. */
  trialOver?: true;
};

const BEHAVIOR = { now: 'always_invoice', next_invoice: 'create_prorations', none: 'none' } as const;
const UNDO = { period_end: { cancel_at_period_end: false }, instant: { cancel_at: '' as const } };
const CHANGING = { ...SAFE, checking: 'We are checking with Stripe whether the subscription was changed.' };

const inSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

const paramsOf = ({ items, proration, prorationDate, trialOver }: SubscriptionChange) => ({
  ...(trialOver && { trial_end: 'now' as const }),
  ...(items.length > 0 && { items }),
  proration_behavior: BEHAVIOR[proration],
  // Without proration no moment counts, and Stripe refuses one outside of the current period on its own clock.
  ...(prorationDate && proration !== 'none' && { proration_date: inSeconds(prorationDate) }),
});

/** Changes of what a subscription consists of, and what they would cost. Asking twice is asking once. */
export function stripeChangesOf({ config, providers, keyed, pace }: ProviderContext) {
  const stripe = providers.stripe();
  const read = readerFor({ config, keyed, pace });
  const on = (stripeAccount: string): Stripe.RequestOptions => ({ stripeAccount });
  const Changed = shapes.Subscription.pick({ id: true, status: true });

  /**
   * The next invoice if the subscription were changed like that: of this moment when the change is billed at once. Null
   * where nothing is going to be billed: what ends, or waits for a card. `recurring`: of a whole period instead, without what
   * is billed once.
   */
  const preview = (
    accountId: string,
    id: string,
    wanted: SubscriptionChange,
    mode: 'next' | 'recurring' = 'next',
  ): Promise<shapes.InvoicePreview | null> =>
    read(shapes.InvoicePreview, () =>
      stripe.invoices.createPreview(
        { subscription: id, subscription_details: paramsOf(wanted), preview_mode: mode },
        on(accountId),
      ),
    ).catch((error: unknown) => {
      if (error instanceof StripeRefusal && error.reason === 'invoice_upcoming_none') return null;
      throw error;
    });

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

    /** In place of any discount before; what is billed already stays as it is. */
    discount: (accountId: string, id: string, promotionCodeId: string) =>
      read(
        Changed,
        () => stripe.subscriptions.update(id, { discounts: [{ promotion_code: promotionCodeId }] }, on(accountId)),
        CHANGING,
      ),

    /**
     * Ends a trial, whose first bill is charged to the card on file, or moves its end. `cancel` says when it is to end then,
     * for who has said that before. `isFree`: nothing is due, so it goes on without a card.
     */
    moveTrial: (
      accountId: string,
      id: string,
      end: Date | 'now',
      { cancel, isFree }: { cancel: Date | 'period_end' | null; isFree: boolean },
    ) =>
      read(
        Changed,
        () =>
          stripe.subscriptions.update(
            id,
            {
              trial_end: end === 'now' ? 'now' : inSeconds(end),
              proration_behavior: 'none',
              payment_behavior: 'allow_incomplete',
              // Else Stripe would end or pause what has no card, whether it needs one or not.
              ...(isFree && {
                trial_settings: { end_behavior: { missing_payment_method: 'create_invoice' as const } },
              }),
              ...(cancel === 'period_end' && { cancel_at_period_end: true }),
              ...(cancel instanceof Date && { cancel_at: inSeconds(cancel) }),
            },
            on(accountId),
          ),
        CHANGING,
      ),

    preview,

    /**
     * What the next bill comes to as the subscription stands, in minor units. Null where Stripe reckons none, as of a trial
     * that ends without a card, or cannot be asked: a page is as good without the sum.
     */
    async nextBill(accountId: string, id: string, { trialOver }: { trialOver?: true } = {}): Promise<number | null> {
      try {
        const asItIs = { items: [], proration: 'none' as const, prorationDate: null, undo: null };
        const bill = await preview(accountId, id, { ...asItIs, ...(trialOver && { trialOver }) });
        return bill?.amount_due ?? null;
      } catch (error) {
        if (error instanceof CarelaneError) return null;
        throw error;
      }
    },
  };
}
