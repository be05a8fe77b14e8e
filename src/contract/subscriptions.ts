import { z } from 'zod';
import { ChargedMethod, PaymentClient } from './cards.ts';
import { anyOf, flag, Paging, text, UtcInstant, WholePaging } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId, WHOSE_IT_IS } from './patients.ts';

const priceId = { examples: [EXAMPLE.priceId] };
export const Currency = z.string().meta({ description: 'ISO 4217, lower case.', examples: ['usd'] });
/** An instant that the reference's example, a subscription waiting for its first payment, does not have. */
const notYet = (description: string) => UtcInstant.nullable().meta({ description, examples: [null] });

/** A processor price with its product; read-only. Money in minor units. */
export const PlanView = z
  .object({
    id: z.string().meta({ description: "The price's id at Stripe.", ...priceId }),
    price_id: z.string().meta({ description: 'The same as `id`.', ...priceId }),
    active: z.boolean().meta({ examples: [true] }),
    nickname: z
      .string()
      .nullable()
      .meta({ examples: ['Monthly'] }),
    name: z.string().meta({ description: "The product's name.", examples: ['Essential care'] }),
    description: z
      .string()
      .nullable()
      .meta({ examples: ['Two video visits a month.'] }),
    images: z.array(z.string()).meta({ examples: [[]] }),
    product: z.string().meta({ description: "The product's id at Stripe.", examples: ['prod_ExampleEssential'] }),
    currency: Currency,
    unit_amount: z
      .int()
      .nullable()
      .meta({ description: 'In minor units (cents).', examples: [4900] }),
    unit_amount_decimal: z
      .string()
      .nullable()
      .meta({ description: 'The same, for amounts with fractions of a cent.', examples: ['4900'] }),
    type: z.enum(['recurring', 'one_time']),
    recurring: z
      .object({
        interval: z.enum(['day', 'week', 'month', 'year']).meta({ examples: ['month'] }),
        interval_count: z.int().meta({ examples: [1] }),
      })
      .nullable(),
    trial_period_in_days: z
      .int()
      .nullable()
      .meta({ description: "From the price's metadata of the same name.", examples: [null] }),
    metadata: z.record(z.string(), z.string()).meta({ description: "The price's metadata at Stripe.", examples: [{}] }),
  })
  .meta({ component: 'SubscriptionPlan' });
export type PlanView = z.infer<typeof PlanView>;

export const ListPlansInput = z.strictObject({ ...WholePaging });
export type ListPlansInput = z.infer<typeof ListPlansInput>;

/** Portal: one price, though it is no longer on offer. */
export const GetPlanInput = z.strictObject({ price_id: text(255) });
export type GetPlanInput = z.infer<typeof GetPlanInput>;

export const SubscriptionStatus = z.enum([
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
]);

const Status = z.string().meta({ description: "Stripe's word." });
const secret = (example: string) =>
  z
    .string()
    .optional()
    .meta({
      description:
        'For Stripe.js. Only to the patient, its impersonator and the creating application, never in lists. Missing in a response with `Age`: Stripe could not be reached.',
      examples: [example],
    });

/** A subscription as every door shows it. Client secrets are present only in create and read, to those entitled. */
export const SubscriptionView = z
  .object({
    id: z.string().meta({ description: "Stripe's id.", examples: [EXAMPLE.subscriptionId] }),
    stripe_subscription_id: z.string().meta({ description: 'The same as `id`.', examples: [EXAMPLE.subscriptionId] }),
    patient_id: PatientId,
    status: SubscriptionStatus.meta({
      description:
        '`incomplete` until the first payment, for 23 hours at most. A trial is `trialing` from its first moment, before any card is saved: whether one is still wanted is told by `next_action` (`setup`), not by this.',
    }),
    price_ids: z.array(z.string()).meta({ examples: [[EXAMPLE.priceId]] }),
    items: z.array(
      z.object({
        id: z.string().meta({ examples: ['si_ExampleAda'] }),
        price_id: z.string().meta(priceId),
        quantity: z.int().meta({ examples: [1] }),
      }),
    ),
    name: z
      .string()
      .nullable()
      .meta({ description: "The plan's name.", examples: ['Essential care'] }),
    plan_price: z
      .int()
      .nullable()
      .meta({
        description: 'Of one billing period, in minor units; null where the prices have no amount or period in common.',
        examples: [4900],
      }),
    currency: Currency,
    billing_period: z
      .string()
      .nullable()
      .meta({
        description:
          '`day`, `week`, `month` or `year`; null where its prices differ in it, as Stripe’s dashboard allows.',
        examples: ['month'],
      }),
    billing_interval: z
      .int()
      .nullable()
      .meta({ description: 'How many of them are one period.', examples: [1] }),
    cancel_at_period_end: z.boolean().meta({ description: 'Ends after the period that was or will be paid.' }),
    cancel_at: notYet('When it is going to end.'),
    canceled_at: notYet('When it was asked to end.'),
    ended_at: notYet('When it ended.'),
    current_period_start: UtcInstant.nullable(),
    current_period_end: UtcInstant.nullable().meta({ examples: ['2026-12-16T15:04:05.000Z'] }),
    trial_start: notYet('Null without a trial.'),
    trial_end: notYet('Null without a trial.'),
    upcoming_invoice_date: notYet('When the next payment is due, if one is.'),
    grace_until: notYet(
      'While a bill is unpaid (`past_due`, `unpaid`): until when the patient keeps what was bought, as the organisation has set it, counted from the oldest bill since the last that was paid. It may lie in the past. Nothing ends by itself then: it is for your app to heed.',
    ),
    pause_collection: z
      .object({
        behavior: z.enum(['keep_as_draft', 'mark_uncollectible', 'void']),
        resumes_at: UtcInstant.nullable().meta({ description: 'Null until somebody resumes it.' }),
      })
      .nullable()
      .meta({
        description:
          'While collecting payments is paused at Stripe: the subscription goes on, and its bills stay drafts, are given up or are void.',
        examples: [null],
      }),
    pause_reason: z
      .string()
      .nullable()
      .meta({
        description:
          "Stripe's word for why it is `paused`: `trial_end_without_payment_method` goes on once there is a card, `pause_requested` and others once it is resumed at Stripe. Null where it is not paused or Stripe did not say.",
        examples: [null],
      }),
    discount: z
      .object({ code: z.string().nullable(), percent_off: z.number().nullable(), amount_off: z.int().nullable() })
      .nullable()
      .meta({ examples: [null] }),
    allow_promotion_codes: z.boolean().meta({
      description: 'Whether the patient may redeem a promotion code as long as nothing is paid.',
      examples: [false],
    }),
    replaced_by: z
      .string()
      .nullable()
      .meta({
        description:
          'The subscription that took its place when a promotion code was redeemed before the first payment.',
        examples: [null],
      }),
    created_at: UtcInstant,
    updated_at: UtcInstant,
    latest_invoice: z
      .object({
        id: z.string().meta({ examples: ['in_ExampleFirst'] }),
        status: Status.nullable().meta({ examples: ['open'] }),
        amount_due: z.int().meta({ description: 'In minor units.', examples: [4900] }),
        currency: Currency,
        payment_intent: z
          .object({
            id: z.string().meta({ examples: ['pi_ExampleFirst'] }),
            status: Status.meta({ examples: ['requires_payment_method'] }),
            client_secret: secret('pi_ExampleFirst_secret_Abc123'),
          })
          .nullable()
          .meta({ description: 'What has to be paid; null when nothing is due.' }),
      })
      .nullable()
      .meta({ description: 'Null before there is one.' }),
    pending_setup_intent: z
      .object({ id: z.string(), status: Status, client_secret: secret('seti_ExampleCard_secret_Abc123') })
      .nullable()
      .meta({ description: 'The card to save when a trial has nothing due yet.', examples: [null] }),
    next_action: z
      .enum(['payment', 'setup', 'none'])
      .meta({ description: 'What the patient has to do: pay the open invoice, save a card, or nothing.' }),
    payment_method: ChargedMethod.nullable().meta({
      description: 'What it is charged to; null where there is nothing to charge, or before Stripe was asked.',
      examples: [null],
    }),
    payment_client: PaymentClient,
    stripe_issue: z
      .enum(['former_account', 'customer_deleted'])
      .nullable()
      .optional()
      .meta({
        description:
          'Only in reads of one: `former_account` while it runs at a Stripe account that is not connected any more, where changes may not be seen; `customer_deleted` of one that has ended, where the customer was deleted at Stripe.',
        examples: [null],
      }),
  })
  .meta({ component: 'Subscription' });
export type SubscriptionView = z.infer<typeof SubscriptionView>;

export const SubscriptionId = z
  .string()
  .regex(/^sub_[A-Za-z0-9_]{1,250}$/, 'must be a subscription id (sub_…)')
  .meta({ description: 'A subscription id (`sub_…`).', examples: [EXAMPLE.subscriptionId] });

export const ListSubscriptionsInput = z.strictObject({
  ...Paging,
  patient_id: PatientId.optional().meta({ description: 'Of this patient; a patient must name itself.' }),
  status: anyOf(SubscriptionStatus)
    .optional()
    .meta({
      description: `Any of ${SubscriptionStatus.options.join(', ')}, comma-separated; all of them unless said.`,
      examples: ['active,past_due'],
    }),
  price_id: text(255)
    .optional()
    .meta({ description: 'Those that this price is part of.', ...priceId }),
  needs_attention: flag.optional().meta({
    description:
      'Those that somebody should look after: `incomplete`, `past_due` or `unpaid`; a card that runs out within 30 days; a trial that ends within 7 days, or is paused, without a card.',
    examples: [true],
  }),
});
export type ListSubscriptionsInput = z.infer<typeof ListSubscriptionsInput>;

export const CreateSubscriptionInput = z.strictObject({
  patient_id: PatientId,
  price_ids: z
    .array(text(255))
    .min(1)
    .max(20)
    .meta({ description: 'Prices on offer, of one currency and billing period.', examples: [[EXAMPLE.priceId]] }),
  cancel_at_period_end: z.boolean().optional().meta({ description: 'Ends it after the first billing period.' }),
  promotion_code: text(100)
    .nullish()
    .meta({ description: 'In any case of letters. One for other prices is passed over. Null is none.' }),
  coupon: text(255)
    .nullish()
    .meta({
      description:
        'The id of a coupon at Stripe, in place of a promotion code. For staff and applications: no patient gives a discount to themselves. Null is none.',
      examples: [null],
    }),
  allow_promotion_codes: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether the patient may redeem a promotion code as long as nothing is paid: on the payment page, or by `PATCH /subscriptions/{id}`. Remembered.',
      examples: [true],
    }),
  allow_duplicate: z
    .boolean()
    .optional()
    .meta({
      description:
        'Although the patient has a live subscription to one of these prices, which else is a `conflict` with its id in `meta.subscription_id`.',
      examples: [false],
    }),
});
export type CreateSubscriptionInput = z.infer<typeof CreateSubscriptionInput>;

export const SubscriptionIdInput = z.strictObject({ id: SubscriptionId });
export const CancelSubscriptionInput = z.strictObject({
  id: SubscriptionId,
  cancel_at_period_end: flag.optional().meta({ description: 'At the end of the billing period; at once unless said.' }),
  patient_id: PatientId.optional().meta(WHOSE_IT_IS),
});
export type CancelSubscriptionInput = z.infer<typeof CancelSubscriptionInput>;
