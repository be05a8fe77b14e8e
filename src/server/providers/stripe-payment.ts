import { z } from 'zod';
import { moment, reference, seconds } from './stripe-shapes.ts';

/** The metadata key of a refund that names its request, so that the refund is found again. */
export const REQUEST_KEY = 'carelane_request';
/** The status of a refund without one. */
export const UNDECIDED = 'pending';

const amounts = z.array(z.object({ amount: z.int() })).nullish();
const text = z.string().nullish();
export const Page = <Shape extends z.ZodType>(shape: Shape) =>
  z.object({ object: z.literal('list'), data: z.array(shape), has_more: z.boolean() });

export const Invoice = z.object({
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
export const Refund = z.object({
  id: z.string(),
  amount: z.int(),
  status: text,
  reason: text,
  created: seconds,
  charge: reference.nullish(),
  payment_intent: reference.nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
export const Charge = z.object({
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
export type Charge = z.infer<typeof Charge>;
export const Dispute = z.object({
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

type Found = {
  charges: Charge[];
  refunds: z.infer<typeof Refund>[];
  disputes: z.infer<typeof Dispute>[];
};
const sum = (all: { amount: number }[] | null | undefined) => (all ?? []).reduce((sum, { amount }) => sum + amount, 0);
const oldest = <Row extends { created: Date; id: string }>(rows: Row[]): Row[] =>
  rows.toReversed().sort((a, b) => a.created.getTime() - b.created.getTime());

/** Returns null for a draft, which is not owed yet. */
export function presentInvoice(invoice: WireInvoice): StripeInvoice | null {
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

export function presentPayment(invoice: StripeInvoice, { charges, refunds, disputes }: Found): StripePayment {
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
