import { z } from 'zod';
import type { ProviderContext } from '../core/context.ts';
import { createStripeCall } from './stripe-call.ts';
import { SAFE } from './stripe-errors.ts';
import { moment, reference, seconds } from './stripe-shapes.ts';

/** The metadata key of a refund that names its request, so that the refund is found again. */
const REQUEST_KEY = 'carelane_request';
/** The status of a refund without one. */
const UNDECIDED = 'pending';

const amounts = z.array(z.object({ amount: z.int() })).nullish();
const text = z.string().nullish();
const Page = <Shape extends z.ZodType>(shape: Shape) =>
  z.object({ object: z.literal('list'), data: z.array(shape), has_more: z.boolean() });

const Invoice = z.object({
  id: z.string().startsWith('in_'),
  created: seconds,
  customer: reference.nullish(),
  status: z.enum(['draft', 'open', 'paid', 'void', 'uncollectible']).nullable(),
  number: text,
  currency: z.string(),
  billing_reason: text,
  subtotal: z.int(),
  total: z.int(),
  amount_due: z.int(),
  amount_paid: z.int(),
  amount_remaining: z.int(),
  total_discount_amounts: amounts,
  total_taxes: amounts,
  attempt_count: z.int().default(0),
  next_payment_attempt: moment,
  period_start: seconds,
  period_end: seconds,
  status_transitions: z.object({ paid_at: moment }),
  hosted_invoice_url: text,
  invoice_pdf: text,
  payments: z
    .object({
      data: z.array(z.object({ status: z.string(), payment: z.object({ payment_intent: reference.nullish() }) })),
    })
    .nullish(),
});
const Refund = z.object({
  id: z.string(),
  amount: z.int(),
  status: text,
  reason: text,
  created: seconds,
  charge: reference.nullish(),
  payment_intent: reference.nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
const Charge = z.object({
  id: z.string(),
  created: seconds,
  paid: z.boolean(),
  amount_refunded: z.int(),
  disputed: z.boolean(),
  payment_intent: reference.nullish(),
  receipt_url: text,
  failure_code: text,
  failure_message: text,
  outcome: z.object({ reason: text }).nullish(),
  refunds: Page(Refund).nullish(),
});
type Charge = z.infer<typeof Charge>;
const Dispute = z.object({
  id: z.string(),
  amount: z.int(),
  status: z.string(),
  reason: z.string(),
  created: seconds,
  payment_intent: reference.nullish(),
  evidence_details: z.object({ due_by: moment }).nullish(),
});

/** `request`: the request that caused it, if it was made in this service. */
export type StripeRefund = {
  id: string;
  amount: number;
  status: string;
  reason: string | null;
  created_at: string;
  request: string | null;
};
export type StripeDispute = {
  id: string;
  amount: number;
  status: string;
  reason: string;
  evidence_due_by: string | null;
  created_at: string;
};
/** An invoice of a subscription in this service's terms. Money in minor units. */
export type StripeInvoice = {
  id: string;
  status: 'open' | 'paid' | 'void' | 'uncollectible';
  number: string | null;
  currency: string;
  billingReason: string | null;
  subtotal: number;
  discount: number;
  tax: number;
  total: number;
  amountDue: number;
  amountPaid: number;
  amountRemaining: number;
  periodStart: Date;
  periodEnd: Date;
  paidAt: Date | null;
  attemptCount: number;
  nextAttemptAt: Date | null;
  invoiceUrl: string | null;
  pdfUrl: string | null;
  /** Paid ones first. */
  paymentIntentIds: string[];
  createdAt: Date;
};
/** An invoice with the result of its payment. */
export type StripePayment = StripeInvoice & {
  amountRefunded: number;
  /** Why the last attempt failed, for an unpaid invoice. */
  failure: { code: string | null; message: string | null } | null;
  receiptUrl: string | null;
  refunds: StripeRefund[];
  disputes: StripeDispute[];
};

type WireInvoice = z.infer<typeof Invoice>;

function intentsOf({ payments }: WireInvoice): string[] {
  const all = (payments?.data ?? []).flatMap(({ status, payment }) =>
    payment.payment_intent ? [{ id: payment.payment_intent, isPaid: status === 'paid' }] : [],
  );
  return all.sort((a, b) => Number(b.isPaid) - Number(a.isPaid)).map(({ id }) => id);
}

type Movements = {
  charges: Charge[];
  refunds: z.infer<typeof Refund>[];
  disputes: z.infer<typeof Dispute>[];
};
const sum = (all: { amount: number }[] | null | undefined) => (all ?? []).reduce((sum, { amount }) => sum + amount, 0);
const oldest = <Row extends { created: Date; id: string }>(rows: Row[]): Row[] =>
  rows.toReversed().sort((a, b) => a.created.getTime() - b.created.getTime());

/** Returns null for a draft, which is not owed yet. */
function presentInvoice(invoice: WireInvoice): StripeInvoice | null {
  if (invoice.status === null || invoice.status === 'draft') return null;
  return {
    id: invoice.id,
    status: invoice.status,
    number: invoice.number ?? null,
    currency: invoice.currency,
    billingReason: invoice.billing_reason ?? null,
    subtotal: invoice.subtotal,
    discount: sum(invoice.total_discount_amounts),
    tax: sum(invoice.total_taxes),
    total: invoice.total,
    amountDue: invoice.amount_due,
    amountPaid: invoice.amount_paid,
    amountRemaining: invoice.amount_remaining,
    periodStart: invoice.period_start,
    periodEnd: invoice.period_end,
    paidAt: invoice.status_transitions.paid_at,
    attemptCount: invoice.attempt_count,
    nextAttemptAt: invoice.next_payment_attempt,
    invoiceUrl: invoice.hosted_invoice_url ?? null,
    pdfUrl: invoice.invoice_pdf ?? null,
    paymentIntentIds: intentsOf(invoice),
    createdAt: invoice.created,
  };
}

function presentPayment(invoice: StripeInvoice, { charges, refunds, disputes }: Movements): StripePayment {
  const last = oldest(charges).at(-1);
  const failed = invoice.status !== 'paid' && last && !last.paid ? last : null;
  return {
    ...invoice,
    amountRefunded: charges.reduce((sum, { amount_refunded }) => sum + amount_refunded, 0),
    failure: failed && {
      code: failed.outcome?.reason ?? failed.failure_code ?? null,
      message: failed.failure_message ?? null,
    },
    receiptUrl: oldest(charges).findLast(({ paid }) => paid)?.receipt_url ?? null,
    refunds: oldest(refunds).map((refund) => ({
      id: refund.id,
      amount: refund.amount,
      status: refund.status ?? UNDECIDED,
      reason: refund.reason ?? null,
      created_at: refund.created.toISOString(),
      request: refund.metadata?.[REQUEST_KEY] ?? null,
    })),
    disputes: oldest(disputes).map((dispute) => ({
      id: dispute.id,
      amount: dispute.amount,
      status: dispute.status,
      reason: dispute.reason,
      evidence_due_by: dispute.evidence_details?.due_by?.toISOString() ?? null,
      created_at: dispute.created.toISOString(),
    })),
  };
}

/** Stripe's maximum page size, and the most pages to read. */
const PAGE = 100;
const MAX_PAGES = 20;
const REFUNDING = { ...SAFE, checking: 'We are checking with Stripe whether the money is on its way back.' };

const InvoicePayment = z.object({ invoice: reference });
const OfSubscription = z.object({
  parent: z.object({ subscription_details: z.object({ subscription: reference }).nullish() }).nullish(),
});

/** A refund or a dispute, and its payment. */
type Reversal = { id: string; paymentIntentId: string; status: string; createdAt: Date };
/** Only these fields are parsed, so that an invalid one elsewhere does not hide the others. */
const REVERSAL_FIELDS = { id: true, payment_intent: true, status: true, created: true } as const;
type NewRefund = { paymentIntentId: string; amount: number; reason: Reason | null; request: string };
type Reason = 'duplicate' | 'fraudulent' | 'requested_by_customer';

/** Invoices, payments, refunds and disputes of an account. */
export function stripePaymentsOf({ config, providers, keyed, pace }: ProviderContext, accountId: string) {
  const stripe = providers.stripe();
  const call = createStripeCall({ config, keyed, pace });
  const on = { stripeAccount: accountId };

  async function all<Shape extends z.ZodType<{ id: string }>>(
    shape: Shape,
    list: (page: { limit: number; starting_after?: string }) => Promise<unknown>,
  ): Promise<z.output<Shape>[]> {
    const items: z.output<Shape>[] = [];
    for (let page = 0; page < MAX_PAGES; page++) {
      const last = items.at(-1) as { id: string } | undefined;
      const { data, has_more } = await call(Page(shape), () =>
        list({ limit: PAGE, ...(last && { starting_after: last.id }) }),
      );
      items.push(...data);
      if (!has_more || data.length === 0) break;
    }
    return items;
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
      const { data } = await call(Page(InvoicePayment), () =>
        stripe.invoicePayments.list({ payment: { type: 'payment_intent', payment_intent: paymentIntentId } }, on),
      );
      if (!data[0]) return null;
      const { invoice: id } = data[0];
      const { parent } = await call(OfSubscription, () => stripe.invoices.retrieve(id, {}, on));
      return parent?.subscription_details?.subscription ?? null;
    },

    /** Returns the account's refunds and disputes since the instant, each with its payment. */
    async reversalsSince(since: Date): Promise<Reversal[]> {
      const created = { gte: Math.floor(since.getTime() / 1000) };
      const refunds = await all(Refund.pick(REVERSAL_FIELDS), (page) => stripe.refunds.list({ created, ...page }, on));
      const disputes = await all(Dispute.pick(REVERSAL_FIELDS), (page) =>
        stripe.disputes.list({ created, ...page }, on),
      );
      return [...refunds, ...disputes].flatMap(({ id, payment_intent, status, created }) =>
        payment_intent
          ? [{ id, paymentIntentId: payment_intent, status: status ?? UNDECIDED, createdAt: created }]
          : [],
      );
    },

    /** Refunds an amount. A request's parameters never vary, so that the idempotency key holds. */
    refund: ({ paymentIntentId, amount, reason, request }: NewRefund, idempotencyKey: string) =>
      call(
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
