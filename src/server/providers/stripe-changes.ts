import type Stripe from 'stripe';
import type { ProviderContext } from '../core/context.ts';
import { CarelaneError } from '../core/errors.ts';
import { createStripeCall } from './stripe-call.ts';
import { SAFE, StripeRejection } from './stripe-errors.ts';
import * as shapes from './stripe-shapes.ts';

/** An item that is changed by its id, removed, or new. */
export type ItemChange = { id?: string; price?: string; quantity?: number; deleted?: true };
type SubscriptionChange = {
  items: ItemChange[];
  proration: 'now' | 'next_invoice' | 'none';
  prorationDate: Date | null;
  /** Undoes a scheduled end: at the period's end, or at an instant. */
  undo: 'period_end' | 'instant' | null;
  /** Ends the trial. Only as the sole change. */
  trialOver?: true;
};

const BEHAVIOR = { now: 'always_invoice', next_invoice: 'create_prorations', none: 'none' } as const;
const UNDO = { period_end: { cancel_at_period_end: false }, instant: { cancel_at: '' as const } };
const CHANGING = { ...SAFE, checking: 'We are checking with Stripe whether the subscription was changed.' };

const Changed = shapes.Subscription.pick({ id: true, status: true });

const inSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

const paramsOf = ({ items, proration, prorationDate, trialOver }: SubscriptionChange) => ({
  ...(trialOver && { trial_end: 'now' as const }),
  ...(items.length > 0 && { items }),
  proration_behavior: BEHAVIOR[proration],
  // Without proration the date has no effect, and Stripe rejects one outside of the current period by its own clock.
  ...(prorationDate && proration !== 'none' && { proration_date: inSeconds(prorationDate) }),
});

/** Changes of a subscription's content, and previews of their cost. All calls are idempotent. */
export function stripeChangesOf({ config, providers, keyed, pace }: ProviderContext) {
  const stripe = providers.stripe();
  const read = createStripeCall({ config, keyed, pace });
  const on = (stripeAccount: string): Stripe.RequestOptions => ({ stripeAccount });

  /**
   * Previews the next invoice after the change; it is dated now if the change is billed at once. Null if nothing will
   * be billed: the subscription ends, or waits for a card. `recurring`: previews a whole period instead, without
   * one-time items.
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
      if (error instanceof StripeRejection && error.reason === 'invoice_upcoming_none') return null;
      throw error;
    });

  return {
    /** Charges the amount due to the card on file; if that fails, the invoice stays open for the patient to pay. */
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

    /** Replaces any earlier discount; existing invoices do not change. */
    discount: (accountId: string, id: string, promotionCodeId: string) =>
      read(
        Changed,
        () => stripe.subscriptions.update(id, { discounts: [{ promotion_code: promotionCodeId }] }, on(accountId)),
        CHANGING,
      ),

    /**
     * Ends a trial, whose first invoice is charged to the card on file, or moves its end. `cancel` repeats an already
     * scheduled end. `isFree`: nothing is due, so the subscription continues without a card.
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
              // Otherwise Stripe would end or pause a subscription without a card, even if nothing is due.
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
     * Returns the amount of the next invoice in minor units. Null if Stripe has none, as for a trial that ends without
     * a card, or is unavailable: a page works without the amount.
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
