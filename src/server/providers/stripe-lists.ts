import { z } from 'zod';
import type { ProviderContext } from '../core/context.ts';
import { createStripeCall } from './stripe-call.ts';
import { StripeRejection } from './stripe-errors.ts';
import * as shapes from './stripe-shapes.ts';
import { presentStripeSubscription, type StripeSubscription } from './stripe-subscription.ts';

/** Stripe's maximum page size. */
export const PAGE = 100;
/** All but the products' names, which are nested deeper than Stripe expands. */
const EXPANDED = [
  'data.customer.invoice_settings.default_payment_method',
  'data.default_payment_method',
  'data.latest_invoice.confirmation_secret',
  'data.latest_invoice.payments',
  'data.pending_setup_intent',
  'data.discounts.promotion_code',
  'data.discounts.source.coupon',
];

export type ListedCustomer = z.infer<typeof shapes.ListedCustomer>;
/** `name` is empty, and so is the payment status of an open invoice. */
export type ListedSubscription = { live: StripeSubscription; customer: ListedCustomer };
const Identified = z.object({ id: z.string() });

/** Stripe's lists, for reconciliation. */
export function stripeListsOf({ config, providers, log, keyed, pace }: ProviderContext) {
  const stripe = providers.stripe();
  const read = createStripeCall({ config, keyed, pace });

  /** Skips invalid items, so that they do not hide the others. */
  function parseValid<T>(data: unknown[], parse: (one: unknown) => T): T[] {
    return data.flatMap((one) => {
      try {
        return [parse(one)];
      } catch (error) {
        const { data: identified } = Identified.safeParse(one);
        log.warn({ id: identified?.id, err: (error as Error).message }, 'Stripe lists what makes no sense');
        return [];
      }
    });
  }

  return {
    /** A page of the account's subscriptions that are not canceled, newest first. */
    async subscriptions(
      accountId: string,
      after: string | null,
    ): Promise<{ items: ListedSubscription[]; last: string | null; hasMore: boolean }> {
      const { data, has_more } = await read(shapes.Page, () =>
        stripe.subscriptions.list(
          { limit: PAGE, expand: EXPANDED, ...(after && { starting_after: after }) },
          { stripeAccount: accountId },
        ),
      );
      const items = parseValid(data, (one) => ({
        live: presentStripeSubscription(shapes.Subscription.parse(one), null),
        customer: z.object({ customer: shapes.ListedCustomer }).parse(one).customer,
      }));
      return { items, last: Identified.safeParse(data.at(-1)).data?.id ?? null, hasMore: has_more && data.length > 0 };
    },

    /**
     * Returns the events after a known one, oldest first; without it, only the newest. Null when Stripe no longer has
     * that event: it stores them for 30 days.
     */
    async eventsAfter(
      accountId: string,
      lastId: string | null,
    ): Promise<{ events: shapes.Event[]; newest: string | null; hasMore: boolean } | null> {
      const page = await read(shapes.Page, () =>
        stripe.events.list(lastId ? { limit: PAGE, ending_before: lastId } : { limit: 1 }, {
          stripeAccount: accountId,
        }),
      ).catch((error: unknown) => {
        if (lastId && error instanceof StripeRejection && error.reason === 'resource_missing') return null;
        throw error;
      });
      if (!page) return null;
      const newest = Identified.safeParse(page.data[0]).data?.id ?? lastId;
      const events = parseValid(page.data, (one) => shapes.Event.parse(one)).reverse();
      return { events, newest, hasMore: page.has_more && lastId !== null && page.data.length > 0 };
    },
  };
}
