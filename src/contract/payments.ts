import { z } from 'zod';
import { anyOf, Paging, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId } from './patients.ts';
import { Currency, SubscriptionId } from './subscriptions.ts';

export const PaymentStatus = z.enum(['open', 'paid', 'void', 'uncollectible']);
const amount = (description: string, example: number) => z.int().meta({ description, examples: [example] });
const link = (description: string, example: string) =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [example] });
const StripesWord = (example: string) => z.string().meta({ description: "Stripe's value.", examples: [example] });

/** A bill of a subscription and its payment. Amounts in minor units. */
export const PaymentView = z
  .object({
    id: z.string().meta({ description: "The invoice's id at Stripe.", examples: [EXAMPLE.paymentId] }),
    subscription_id: z.string().meta({ examples: [EXAMPLE.subscriptionId] }),
    patient_id: PatientId,
    status: PaymentStatus.meta({
      description: '`void` and `uncollectible` no longer have to be paid.',
      examples: ['paid'],
    }),
    number: z
      .string()
      .nullable()
      .meta({ description: 'The number on the invoice.', examples: ['EXAMPLE-0001'] }),
    currency: Currency,
    subtotal: amount('Before discounts and tax, in minor units.', 4900),
    discount: amount('The amount of all discounts.', 980),
    tax: amount('The tax included in `total`.', 0),
    total: amount('After discounts and tax; negative for a credit.', 3920),
    amount_due: amount('The amount to pay, after credits.', 3920),
    amount_paid: amount('The amount paid; refunds do not reduce it.', 3920),
    amount_remaining: amount('The amount still to pay.', 0),
    amount_refunded: amount('The amount refunded, including pending refunds.', 0),
    billing_reason: z
      .string()
      .nullable()
      .meta({ description: 'Stripe’s reason for the bill.', examples: ['subscription_create'] }),
    period_start: UtcInstant,
    period_end: UtcInstant.meta({ examples: ['2026-12-16T15:04:05.000Z'] }),
    paid_at: UtcInstant.nullable(),
    attempt_count: z.int().meta({ description: 'The number of payment attempts.', examples: [1] }),
    next_attempt_at: UtcInstant.nullable().meta({
      description: 'When the next attempt takes place.',
      examples: [null],
    }),
    failure: z
      .object({ code: z.string().nullable(), message: z.string().nullable() })
      .nullable()
      .meta({ description: 'Why the last attempt failed; only while the payment is still due.', examples: [null] }),
    invoice_url: link("Stripe's page of the invoice, on which it can be paid.", 'https://invoice.stripe.com/i/example'),
    pdf_url: link('The invoice as a PDF.', 'https://pay.stripe.com/invoice/example/pdf'),
    receipt_url: link('The receipt, after a payment.', 'https://pay.stripe.com/receipts/example'),
    refunds: z
      .array(
        z.object({
          id: z.string(),
          amount: z.int(),
          status: StripesWord('succeeded'),
          reason: z.string().nullable(),
          created_at: UtcInstant,
        }),
      )
      .meta({ description: 'Oldest first; a refund that `failed` returned no money.', examples: [[]] }),
    disputes: z
      .array(
        z.object({
          id: z.string(),
          amount: z.int(),
          status: StripesWord('needs_response'),
          reason: z.string(),
          evidence_due_by: UtcInstant.nullable(),
          created_at: UtcInstant,
        }),
      )
      .meta({ description: "Disputes and inquiries of the cardholder's bank.", examples: [[]] }),
    created_at: UtcInstant.meta({ description: 'When it was billed.' }),
    updated_at: UtcInstant,
  })
  .meta({ component: 'Payment' });
export type PaymentView = z.infer<typeof PaymentView>;

export const PaymentId = z
  .string()
  .regex(/^in_[A-Za-z0-9_]{1,250}$/, 'must be a payment id (in_…)')
  .meta({ description: 'A payment id (`in_…`).', examples: [EXAMPLE.paymentId] });

export const ListPaymentsInput = z.strictObject({
  ...Paging,
  patient_id: PatientId.optional().meta({ description: "Only this patient's; patients must pass their own id." }),
  subscription_id: SubscriptionId.optional().meta({ description: 'Only payments of this subscription.' }),
  status: anyOf(PaymentStatus)
    .optional()
    .meta({
      description: `Any of ${PaymentStatus.options.join(', ')}, comma-separated; the default is all.`,
      examples: ['open,paid'],
    }),
});
export type ListPaymentsInput = z.infer<typeof ListPaymentsInput>;

export const PaymentIdInput = z.strictObject({ id: PaymentId });

export const RefundPaymentInput = z.strictObject({
  id: PaymentId,
  // A JSON number only: amounts of money have a single representation.
  amount: z
    .int()
    .min(1)
    .max(99_999_999)
    .optional()
    .meta({ description: 'In minor units; defaults to the amount that is left.', examples: [1900] }),
  reason: z
    .enum(['duplicate', 'fraudulent', 'requested_by_customer'])
    .optional()
    .meta({ description: 'For Stripe and the bank.', examples: ['requested_by_customer'] }),
});
export type RefundPaymentInput = z.infer<typeof RefundPaymentInput>;
