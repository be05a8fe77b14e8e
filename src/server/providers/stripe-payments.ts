import { z } from 'zod';
import type { ProviderContext } from '../core/context.ts';
import { createStripeCall } from './stripe-call.ts';
import { SAFE } from './stripe-errors.ts';
import {
  Charge,
  Dispute,
  Invoice,
  Page,
  presentInvoice,
  presentPayment,
  REQUEST_KEY,
  Refund,
  type StripeInvoice,
  type StripePayment,
  UNDECIDED,
} from './stripe-payment.ts';
import { reference } from './stripe-shapes.ts';

/** Stripe's maximum page size, and the most pages to read. */
const PAGE = 100;
const MAX_PAGES = 20;
const REFUNDING = { ...SAFE, checking: 'We are checking with Stripe whether the money is on its way back.' };

const InvoicePayment = z.object({ invoice: reference });
const OfSubscription = z.object({
  parent: z.object({ subscription_details: z.object({ subscription: reference }).nullish() }).nullish(),
});

/** A refund or a dispute, and its payment. */
export type Reversal = { id: string; paymentIntentId: string; status: string; createdAt: Date };
/** Only these fields are parsed, so that an invalid one elsewhere does not hide the others. */
const OF_GIVEN_BACK = { id: true, payment_intent: true, status: true, created: true } as const;
export type NewRefund = { paymentIntentId: string; amount: number; reason: Reason | null; request: string };
type Reason = 'duplicate' | 'fraudulent' | 'requested_by_customer';

/** Invoices, payments, refunds and disputes of an account. */
export function stripePaymentsOf({ config, providers, keyed, pace }: ProviderContext, accountId: string) {
  const stripe = providers.stripe();
  const ask = createStripeCall({ config, keyed, pace });
  const on = { stripeAccount: accountId };

  async function all<Shape extends z.ZodType<{ id: string }>>(
    shape: Shape,
    list: (page: { limit: number; starting_after?: string }) => Promise<unknown>,
  ): Promise<z.output<Shape>[]> {
    const found: z.output<Shape>[] = [];
    for (let page = 0; page < MAX_PAGES; page++) {
      const last = found.at(-1) as { id: string } | undefined;
      const { data, has_more } = await ask(Page(shape), () =>
        list({ limit: PAGE, ...(last && { starting_after: last.id }) }),
      );
      found.push(...data);
      if (!has_more || data.length === 0) break;
    }
    return found;
  }

  const refundsOf = (paymentIntentId: string) =>
    all(Refund, (page) => stripe.refunds.list({ payment_intent: paymentIntentId, ...page }, on));

  /** A charge includes its latest refunds. */
  async function allRefundsOf({ refunds, payment_intent }: z.infer<typeof Charge>) {
    if (refunds?.has_more && payment_intent) return refundsOf(payment_intent);
    return refunds?.data ?? [];
  }

  return {
    /**
     * Returns the subscription's invoices without drafts. Settled ones that `isKnown` are left out; if none is left, no
     * charges are read.
     */
    async ofSubscription(
      subscriptionId: string,
      isKnown: (invoice: StripeInvoice) => boolean = () => false,
    ): Promise<StripePayment[]> {
      const listed = await all(Invoice, (page) =>
        stripe.invoices.list({ subscription: subscriptionId, expand: ['data.payments'], ...page }, on),
      );
      const invoices = listed.flatMap((one) => {
        const invoice = presentInvoice(one);
        return invoice && (invoice.status === 'open' || !isKnown(invoice)) ? [invoice] : [];
      });
      const isPaidFor = invoices.some(({ paymentIntentIds }) => paymentIntentIds.length > 0);
      const customer = listed.find((invoice) => invoice.customer)?.customer;
      const charges =
        isPaidFor && customer
          ? await all(Charge, (page) => stripe.charges.list({ customer, expand: ['data.refunds'], ...page }, on))
          : [];
      const payments: StripePayment[] = [];
      for (const invoice of invoices) {
        const own = charges.filter(
          ({ payment_intent }) => payment_intent && invoice.paymentIntentIds.includes(payment_intent),
        );
        const refunds = (await Promise.all(own.map(allRefundsOf))).flat();
        const disputed = own.filter((charge) => charge.disputed);
        const disputes = (
          await Promise.all(
            disputed.map(({ id }) => all(Dispute, (page) => stripe.disputes.list({ charge: id, ...page }, on))),
          )
        ).flat();
        payments.push(presentPayment(invoice, { charges: own, refunds, disputes }));
      }
      return payments;
    },

    /** Returns the subscription whose invoice the payment was for; null for any other payment. */
    async subscriptionOf(paymentIntentId: string): Promise<string | null> {
      const { data } = await ask(Page(InvoicePayment), () =>
        stripe.invoicePayments.list({ payment: { type: 'payment_intent', payment_intent: paymentIntentId } }, on),
      );
      if (!data[0]) return null;
      const { invoice: id } = data[0];
      const { parent } = await ask(OfSubscription, () => stripe.invoices.retrieve(id, {}, on));
      return parent?.subscription_details?.subscription ?? null;
    },

    /** Returns the account's refunds and disputes since the instant, each with its payment. */
    async reversalsSince(since: Date): Promise<Reversal[]> {
      const created = { gte: Math.floor(since.getTime() / 1000) };
      const refunds = await all(Refund.pick(OF_GIVEN_BACK), (page) => stripe.refunds.list({ created, ...page }, on));
      const disputes = await all(Dispute.pick(OF_GIVEN_BACK), (page) => stripe.disputes.list({ created, ...page }, on));
      return [...refunds, ...disputes].flatMap(({ id, payment_intent, status, created }) =>
        payment_intent
          ? [{ id, paymentIntentId: payment_intent, status: status ?? UNDECIDED, createdAt: created }]
          : [],
      );
    },

    /** Refunds an amount. A request's parameters never vary, so that the idempotency key holds. */
    refund: ({ paymentIntentId, amount, reason, request }: NewRefund, idempotencyKey: string) =>
      ask(
        Refund.pick({ id: true }),
        () =>
          stripe.refunds.create(
            {
              payment_intent: paymentIntentId,
              amount,
              ...(reason && { reason }),
              metadata: { [REQUEST_KEY]: request },
            },
            { ...on, idempotencyKey },
          ),
        REFUNDING,
      ),

    /** Returns the refund of a payment that a request caused, or null. */
    async refundOf(paymentIntentId: string, request: string): Promise<{ id: string } | null> {
      const refunds = await refundsOf(paymentIntentId);
      return refunds.find(({ metadata }) => metadata?.[REQUEST_KEY] === request) ?? null;
    },
  };
}
