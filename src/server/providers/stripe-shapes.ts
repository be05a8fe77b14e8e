import { z } from 'zod';

/** Schemas of the fields of Stripe's objects that the service reads. All other fields are ignored. */

export const seconds = z.int().transform((value) => new Date(value * 1000));
export const moment = seconds.nullish().transform((value) => value ?? null);
export const reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);
const decimal = z.unknown().transform((value) => (value === null || value === undefined ? null : String(value)));
const metadata = z.record(z.string(), z.string()).default({});
const Interval = z.enum(['day', 'week', 'month', 'year']);

const recurring = { interval: Interval, interval_count: z.int().min(1) };
const Recurring = z.object(recurring);
export type Recurring = z.infer<typeof Recurring>;

const Product = z.object({
  id: z.string(),
  active: z.boolean().default(false),
  name: z.string().default(''),
  description: z.string().nullish(),
  images: z.array(z.string()).default([]),
  default_price: reference.nullish(),
});

export const Price = z.object({
  id: z.string(),
  active: z.boolean(),
  billing_scheme: z.string().nullish(),
  currency: z.string(),
  lookup_key: z.string().nullish(),
  metadata,
  nickname: z.string().nullish(),
  product: Product,
  recurring: z.object({ ...recurring, usage_type: z.string().nullish() }).nullish(),
  tax_behavior: z.string().nullish(),
  transform_quantity: z.object({}).nullish(),
  type: z.enum(['recurring', 'one_time']),
  unit_amount: z.int().nullish(),
  unit_amount_decimal: decimal,
});
export type Price = z.infer<typeof Price>;

export const PriceList = z.object({ object: z.literal('list'), data: z.array(Price), has_more: z.boolean() });

export const Account = z.object({
  id: z.string().startsWith('acct_'),
  object: z.literal('account'),
  charges_enabled: z.boolean(),
  payouts_enabled: z.boolean(),
  details_submitted: z.boolean(),
  country: z.string().nullish(),
  default_currency: z.string().nullish(),
  requirements: z
    .object({ currently_due: z.array(z.string()).nullish(), disabled_reason: z.string().nullish() })
    .nullish(),
});
export type Account = z.infer<typeof Account>;

export const AccountLink = z.object({ url: z.url(), expires_at: seconds });
export const Customer = z.object({ id: z.string().startsWith('cus_'), object: z.literal('customer') });

export const PaymentIntent = z.object({
  id: z.string().startsWith('pi_'),
  status: z.string(),
  client_secret: z.string().nullable(),
});
export type PaymentIntent = z.infer<typeof PaymentIntent>;
const SetupIntent = z.object({ id: z.string(), status: z.string(), client_secret: z.string().nullable() });

const Coupon = z.object({
  id: z.string(),
  percent_off: z.number().nullish(),
  amount_off: z.int().nullish(),
  currency: z.string().nullish(),
  duration: z.enum(['once', 'repeating', 'forever']).nullish(),
  duration_in_months: z.int().nullish(),
  max_redemptions: z.int().nullish(),
  redeem_by: moment,
  times_redeemed: z.int().default(0),
  valid: z.boolean().default(true),
  applies_to: z.object({ products: z.array(z.string()) }).nullish(),
});

export const PromotionCode = z.object({
  id: z.string(),
  active: z.boolean(),
  code: z.string(),
  customer: reference.nullish(),
  expires_at: moment,
  max_redemptions: z.int().nullish(),
  times_redeemed: z.int().default(0),
  promotion: z.object({ coupon: Coupon }),
  restrictions: z
    .object({
      first_time_transaction: z.boolean().nullish(),
      minimum_amount: z.int().nullish(),
      minimum_amount_currency: z.string().nullish(),
    })
    .nullish(),
});
export type PromotionCode = z.infer<typeof PromotionCode>;

export const PromotionCodeList = z.object({
  object: z.literal('list'),
  data: z.array(PromotionCode),
  has_more: z.boolean().default(false),
});

const Discount = z.object({
  promotion_code: z
    .union([z.string().transform(() => null), z.object({ code: z.string() }).transform(({ code }) => code)])
    .nullish(),
  source: z.object({ coupon: Coupon }),
});

export const Invoice = z.object({
  id: z.string(),
  created: moment,
  status: z.enum(['draft', 'open', 'paid', 'void', 'uncollectible']).nullable(),
  amount_due: z.int(),
  currency: z.string(),
  confirmation_secret: z.object({ client_secret: z.string() }).nullish(),
  // Until 2025-02-24.acacia, expanded or not.
  payment_intent: z.union([z.string(), PaymentIntent]).nullish(),
  payments: z
    .object({ data: z.array(z.object({ payment: z.object({ payment_intent: reference.nullish() }) })) })
    .nullish(),
});
export type Invoice = z.infer<typeof Invoice>;

const Item = z.object({
  id: z.string(),
  quantity: z.int().default(1),
  current_period_start: seconds,
  current_period_end: seconds,
  price: z.object({
    id: z.string(),
    unit_amount: z.int().nullish(),
    recurring: Recurring,
    // Lists return only its id: Stripe expands at most four levels.
    product: z.union([
      z.string().transform((id) => ({ id, name: '' })),
      z.object({ id: z.string().default(''), name: z.string().default('') }),
    ]),
  }),
});

const month = z.int().min(1).max(12);
const year = z.int().min(2000).max(9999);
/** The payment method; only its id is known if it was not expanded. */
const PaymentMethod = z.union([
  z.string().transform((id) => ({ id, type: 'unknown', card: null })),
  z.object({
    id: z.string(),
    type: z.string(),
    card: z.object({ brand: z.string(), last4: z.string(), exp_month: month, exp_year: year }).nullish(),
  }),
]);
export type PaymentMethod = z.infer<typeof PaymentMethod>;

/** An id, or an expanded customer with its default payment method, which a subscription may override. */
const Payer = z.union([
  z.string().transform((id) => ({ id, deleted: false, paymentMethod: null })),
  z
    .object({
      id: z.string(),
      deleted: z.boolean().default(false),
      invoice_settings: z.object({ default_payment_method: PaymentMethod.nullish() }).nullish(),
    })
    .transform(({ id, deleted, invoice_settings }) => {
      return { id, deleted, paymentMethod: invoice_settings?.default_payment_method ?? null };
    }),
]);

/** With `latest_invoice`, `pending_setup_intent`, products, discounts and payment methods expanded. */
export const Subscription = z.object({
  id: z.string().startsWith('sub_'),
  object: z.literal('subscription'),
  status: z.enum([
    'incomplete',
    'incomplete_expired',
    'trialing',
    'active',
    'past_due',
    'canceled',
    'unpaid',
    'paused',
  ]),
  customer: Payer,
  default_payment_method: PaymentMethod.nullish(),
  currency: z.string(),
  created: seconds,
  metadata,
  cancel_at_period_end: z.boolean(),
  cancel_at: moment,
  canceled_at: moment,
  ended_at: moment,
  trial_start: moment,
  trial_end: moment,
  items: z.object({ data: z.array(Item).min(1) }),
  discounts: z.array(Discount).default([]),
  pause_collection: z
    .object({ behavior: z.enum(['keep_as_draft', 'mark_uncollectible', 'void']), resumes_at: moment })
    .nullish(),
  // Since 2026-09-30.endive, while it is paused.
  status_details: z
    .object({ paused: z.object({ subscription: z.object({ type: z.string() }).nullish() }).nullish() })
    .nullish(),
  latest_invoice: Invoice.nullish(),
  pending_setup_intent: SetupIntent.nullish(),
});
export type Subscription = z.infer<typeof Subscription>;

const amounts = z
  .array(z.object({ amount: z.int() }))
  .nullish()
  .transform((all) => (all ?? []).reduce((sum, { amount }) => sum + amount, 0));
const proration = z.object({ proration: z.boolean().default(false) }).nullish();
/** A preview of an invoice, which does not exist at Stripe. */
export const InvoicePreview = z.object({
  created: seconds,
  currency: z.string(),
  amount_due: z.int(),
  subtotal: z.int(),
  total_discount_amounts: amounts,
  total_taxes: amounts,
  lines: z.object({
    data: z.array(
      z.object({
        amount: z.int(),
        description: z.string().nullish(),
        period: z.object({ start: seconds, end: seconds }),
        parent: z.object({ subscription_item_details: proration, invoice_item_details: proration }).nullish(),
      }),
    ),
  }),
});
export type InvoicePreview = z.infer<typeof InvoicePreview>;

export const SubscriptionList = z.object({
  object: z.literal('list'),
  data: z.array(z.object({ id: z.string(), metadata })),
  has_more: z.boolean(),
});

export const Page = z.object({ object: z.literal('list'), data: z.array(z.unknown()), has_more: z.boolean() });
const contact = z.string().nullish();
/** A customer as expanded in a list of subscriptions; a deleted one has only its id. */
export const ListedCustomer = z.object({
  id: z.string(),
  deleted: z.boolean().default(false),
  name: contact,
  email: contact,
  phone: contact,
});

export const Event = z.object({
  id: z.string().regex(/^evt_[!-~]+$/),
  type: z.string(),
  account: z.string().nullish(),
  livemode: z.boolean(),
  created: seconds.optional(),
  data: z.object({
    object: z.record(z.string(), z.unknown()),
    previous_attributes: z.record(z.string(), z.unknown()).nullish(),
  }),
});
export type Event = z.infer<typeof Event>;
