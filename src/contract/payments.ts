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
const StripesWord = (example: string) => z.string().meta({ description: "Stripe's word.", examples: [example] });

/** What a subscription was billed, and what became of it. Money in minor units. */
export const PaymentView = z
  .object({
    id: z.string().meta({ description: "The invoice's id at Stripe.", examples: [EXAMPLE.paymentId] }),
    subscription_id: z.string().meta({ examples: [EXAMPLE.subscriptionId] }),
    patient_id: PatientId,
    status: PaymentStatus.meta({
      description: '`void` and `uncollectible` are not to be paid any more.',
      examples: ['paid'],
    }),
    number: z
      .string()
      .nullable()
      .meta({ description: 'What the invoice is called.', examples: ['EXAMPLE-0001'] }),
    currency: Currency,
    subtotal: amount('Before discounts and tax, in minor units.', 4900),
    discount: amount('What discounts took off.', 980),
    tax: amount('What of `total` is tax.', 0),
    total: amount('After discounts and tax; negative for a credit.', 3920),
    amount_due: amount('What was to be paid, after credits.', 3920),
    amount_paid: amount('What was paid; refunds take nothing off it.', 3920),
    amount_remaining: amount('What is still to be paid.', 0),
    amount_refunded: amount('What was refunded, or is on its way.', 0),
    billing_reason: z
      .string()
      .nullable()
      .meta({ description: 'Why it was billed, in Stripe’s word.', examples: ['subscription_create'] }),
    period_start: UtcInstant,
    period_end: UtcInstant.meta({ examples: ['2026-12-16T15:04:05.000Z'] }),
    paid_at: UtcInstant.nullable(),
    attempt_count: z.int().meta({ description: 'How often it was tried to be paid.', examples: [1] }),
    next_attempt_at: UtcInstant.nullable().meta({ description: 'When it is tried again.', examples: [null] }),
    failure: z
      .object({ code: z.string().nullable(), message: z.string().nullable() })
      .nullable()
      .meta({ description: 'Why the last try failed, of one that is still to be paid.', examples: [null] }),
    invoice_url: link("Stripe's page of the invoice, where it can be paid.", 'https://invoice.stripe.com/i/example'),
    pdf_url: link('The invoice as a PDF.', 'https://pay.stripe.com/invoice/example/pdf'),
    receipt_url: link('The receipt, once something was paid.', 'https://pay.stripe.com/receipts/example'),
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
      .meta({ description: 'The first one first; one that `failed` gave nothing back.', examples: [[]] }),
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
      .meta({ description: "What the cardholder's bank has taken back, or asks about.", examples: [[]] }),
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
  patient_id: PatientId.optional().meta({ description: 'Of this patient; a patient must name itself.' }),
  subscription_id: SubscriptionId.optional().meta({ description: 'Of this subscription.' }),
  status: anyOf(PaymentStatus)
    .optional()
    .meta({
      description: `Any of ${PaymentStatus.options.join(', ')}, comma-separated; all of them unless said.`,
      examples: ['open,paid'],
    }),
});
export type ListPaymentsInput = z.infer<typeof ListPaymentsInput>;

export const PaymentIdInput = z.strictObject({ id: PaymentId });

export const RefundPaymentInput = z.strictObject({
  id: PaymentId,
  // Not as text: what is money is told without a second way to read it.
  amount: z
    .int()
    .min(1)
    .max(99_999_999)
    .optional()
    .meta({ description: 'In minor units; all that is left of it unless said.', examples: [1900] }),
  reason: z
    .enum(['duplicate', 'fraudulent', 'requested_by_customer'])
    .optional()
    .meta({ description: 'For Stripe and the bank.', examples: ['requested_by_customer'] }),
});
export type RefundPaymentInput = z.infer<typeof RefundPaymentInput>;
