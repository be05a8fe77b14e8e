import { z } from 'zod';
import { ChargedMethod, PaymentClient } from './cards.ts';
import { anyOf, flag, Paging, text, UtcInstant, WholePaging } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { OWNING_PATIENT, PatientId } from './patients.ts';

const priceId = { examples: [EXAMPLE.priceId] };
export const Currency = z.string().meta({ description: 'ISO 4217, lower case.', examples: ['usd'] });
/** A null example: the subscription in the reference's example waits for its first payment. */
const notYet = (description: string) => UtcInstant.nullable().meta({ description, examples: [null] });

/** A price at Stripe with its product; read-only. Amounts in minor units. */
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

/** Portal: one price, even when it is no longer on offer. */
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

const Status = z.string().meta({ description: "Stripe's value." });
const secret = (example: string) =>
  z
    .string()
    .optional()
    .meta({
      description:
        'For Stripe.js. Only for the patient, an application that impersonates the patient and the application that created it, never in lists. Missing in a response with `Age`: Stripe could not be reached.',
      examples: [example],
    });

/**
 * A subscription as all interfaces return it. Client secrets are only in the responses of create and get, for
 * authorised callers.
 */
export const SubscriptionView = z
  .object({
    id: z.string().meta({ description: "Stripe's id.", examples: [EXAMPLE.subscriptionId] }),
    stripe_subscription_id: z.string().meta({ description: 'The same as `id`.', examples: [EXAMPLE.subscriptionId] }),
    patient_id: PatientId,
    status: SubscriptionStatus.meta({
      description:
        '`incomplete` until the first payment, for at most 23 hours. A trial is `trialing` from the start, before any card is saved: `next_action` (`setup`), not the status, says whether one is still needed.',
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
        description:
          'The price of one billing period, in minor units; null when the prices have no amount or no period in common.',
        examples: [4900],
      }),
    currency: Currency,
    billing_period: z
      .string()
      .nullable()
      .meta({
        description:
          '`day`, `week`, `month` or `year`; null when its prices have different periods, as Stripe’s dashboard allows.',
        examples: ['month'],
      }),
    billing_interval: z
      .int()
      .nullable()
      .meta({ description: 'The number of these periods between two bills.', examples: [1] }),
    cancel_at_period_end: z
      .boolean()
      .meta({ description: 'Whether it ends after the current or the first paid period.' }),
    cancel_at: notYet('When it will end.'),
    canceled_at: notYet('When the cancellation was requested.'),
    ended_at: notYet('When it ended.'),
    current_period_start: UtcInstant.nullable(),
    current_period_end: UtcInstant.nullable().meta({ examples: ['2026-12-16T15:04:05.000Z'] }),
    trial_start: notYet('Null without a trial.'),
    trial_end: notYet('Null without a trial.'),
    upcoming_invoice_date: notYet('When the next payment is due, if any.'),
    grace_until: notYet(
      "While a bill is unpaid (`past_due`, `unpaid`): until when the patient keeps access, according to the organisation's setting, counted from the oldest bill since the last paid one. May be in the past. Nothing ends automatically then: your app has to enforce it.",
    ),
    pause_collection: z
      .object({
        behavior: z.enum(['keep_as_draft', 'mark_uncollectible', 'void']),
        resumes_at: UtcInstant.nullable().meta({ description: 'Null: until it is resumed.' }),
      })
      .nullable()
      .meta({
        description:
          'Set while payment collection is paused at Stripe: the subscription continues, and its bills stay drafts, are marked uncollectible or are void.',
        examples: [null],
      }),
    pause_reason: z
      .string()
      .nullable()
      .meta({
        description:
          "Stripe's reason why it is `paused`: `trial_end_without_payment_method` continues once there is a card, `pause_requested` and others once it is resumed at Stripe. Null when it is not paused or Stripe gave no reason.",
        examples: [null],
      }),
    discount: z
      .object({ code: z.string().nullable(), percent_off: z.number().nullable(), amount_off: z.int().nullable() })
      .nullable()
      .meta({ examples: [null] }),
    allow_promotion_codes: z.boolean().meta({
      description: 'Whether the patient may redeem a promotion code while nothing is paid.',
      examples: [false],
    }),
    replaced_by: z
      .string()
      .nullable()
      .meta({
        description: 'The subscription that replaced it when a promotion code was redeemed before the first payment.',
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
          .meta({ description: 'The payment to make; null when nothing is due.' }),
      })
      .nullable()
      .meta({ description: 'Null before the first invoice.' }),
    pending_setup_intent: z
      .object({ id: z.string(), status: Status, client_secret: secret('seti_ExampleCard_secret_Abc123') })
      .nullable()
      .meta({ description: 'The card to save when a trial has nothing due yet.', examples: [null] }),
    next_action: z
      .enum(['payment', 'setup', 'none'])
      .meta({ description: 'What the patient has to do: pay the open invoice, save a card, or nothing.' }),
    payment_method: ChargedMethod.nullable().meta({
      description: 'What is charged; null when there is nothing to charge, or before the first response from Stripe.',
      examples: [null],
    }),
    payment_client: PaymentClient,
    stripe_issue: z
      .enum(['former_account', 'customer_deleted'])
      .nullable()
      .optional()
      .meta({
        description:
          'Only when a single subscription is retrieved. `former_account`: it is in a Stripe account that is no longer connected, so changes may not be seen. `customer_deleted`: it has ended, and its customer was deleted at Stripe.',
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
  patient_id: PatientId.optional().meta({ description: "Only this patient's; patients must pass their own id." }),
  status: anyOf(SubscriptionStatus)
    .optional()
    .meta({
      description: `Any of ${SubscriptionStatus.options.join(', ')}, comma-separated; the default is all.`,
      examples: ['active,past_due'],
    }),
  price_id: text(255)
    .optional()
    .meta({ description: 'Subscriptions that include this price.', ...priceId }),
  needs_attention: flag.optional().meta({
    description:
      'Subscriptions that need attention: `incomplete`, `past_due` or `unpaid`; a card that expires within 30 days; a trial that ends within 7 days, or is paused, without a card.',
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
    .meta({ description: 'Not case-sensitive. A code for other prices is ignored. Null means none.' }),
  coupon: text(255)
    .nullish()
    .meta({
      description:
        'The id of a coupon at Stripe, instead of a promotion code. For staff and applications: patients cannot give themselves a discount. Null means none.',
      examples: [null],
    }),
  allow_promotion_codes: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether the patient may redeem a promotion code while nothing is paid: on the payment page, or by `PATCH /subscriptions/{id}`. Stored with the subscription.',
      examples: [true],
    }),
  allow_duplicate: z
    .boolean()
    .optional()
    .meta({
      description:
        'Allows a price although the patient has a live subscription to it. Without it, this is a `conflict` with the other id in `meta.subscription_id`.',
      examples: [false],
    }),
});
export type CreateSubscriptionInput = z.infer<typeof CreateSubscriptionInput>;

export const SubscriptionIdInput = z.strictObject({ id: SubscriptionId });
export const CancelSubscriptionInput = z.strictObject({
  id: SubscriptionId,
  cancel_at_period_end: flag
    .optional()
    .meta({ description: '`true` cancels at the end of the billing period; the default is immediately.' }),
  patient_id: PatientId.optional().meta(OWNING_PATIENT),
});
export type CancelSubscriptionInput = z.infer<typeof CancelSubscriptionInput>;

/** Portal: exports a list of subscriptions as a file. */
export const ExportSubscriptionsInput = ListSubscriptionsInput.pick({
  patient_id: true,
  status: true,
  price_id: true,
  needs_attention: true,
});
export type ExportSubscriptionsInput = z.infer<typeof ExportSubscriptionsInput>;

/** Portal: sends the payment links of several subscriptions, each to its patient; by email by default. */
export const SendCheckoutLinksInput = z.strictObject({
  subscription_ids: z.array(SubscriptionId).min(1).max(100),
  by: z.enum(['email', 'sms']).optional(),
});
export type SendCheckoutLinksInput = z.infer<typeof SendCheckoutLinksInput>;

/** The outcome for one subscription. */
export type SentOutcomeView = {
  subscription_id: string;
  patient_id: string | null;
  /** `sent_already`: to the same address within the last minutes, so it is not repeated. */
  outcome: 'sent' | 'sent_already' | 'not_sent';
  sent_to: string | null;
  /** Why it was not sent, as text for users. */
  reason: string | null;
};
