import { z } from 'zod';
import { CursorPaging, flag, Id, Paging, text, UtcInstant } from './conventions.ts';

/** A processor price with its product; read-only. Money in minor units. */
export const PlanView = z
  .object({
    id: z.string(),
    price_id: z.string(),
    active: z.boolean(),
    nickname: z.string().nullable(),
    name: z.string(),
    description: z.string().nullable(),
    images: z.array(z.string()),
    product: z.string(),
    currency: z.string(),
    unit_amount: z.int().nullable(),
    unit_amount_decimal: z.string().nullable(),
    type: z.enum(['recurring', 'one_time']),
    recurring: z.object({ interval: z.enum(['day', 'week', 'month', 'year']), interval_count: z.int() }).nullable(),
    trial_period_in_days: z.int().nullable(),
    metadata: z.record(z.string(), z.string()),
  })
  .meta({ component: 'SubscriptionPlan' });
export type PlanView = z.infer<typeof PlanView>;

export const ListPlansInput = z.strictObject({ ...CursorPaging });
export type ListPlansInput = z.infer<typeof ListPlansInput>;

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

const secret = z.string().optional().meta({ description: 'Only to the patient, its impersonator and the creator' });

/** A subscription as every door shows it. Client secrets are present only in create and read, to those entitled. */
export const SubscriptionView = z
  .object({
    id: z.string(),
    stripe_subscription_id: z.string(),
    patient_id: Id,
    status: SubscriptionStatus,
    price_ids: z.array(z.string()),
    items: z.array(z.object({ id: z.string(), price_id: z.string(), quantity: z.int() })),
    name: z.string().nullable(),
    plan_price: z.int().nullable(),
    currency: z.string(),
    billing_period: z.string().nullable(),
    billing_interval: z.int().nullable(),
    cancel_at_period_end: z.boolean(),
    cancel_at: UtcInstant.nullable(),
    canceled_at: UtcInstant.nullable(),
    ended_at: UtcInstant.nullable(),
    current_period_start: UtcInstant.nullable(),
    current_period_end: UtcInstant.nullable(),
    trial_start: UtcInstant.nullable(),
    trial_end: UtcInstant.nullable(),
    upcoming_invoice_date: UtcInstant.nullable(),
    discount: z
      .object({ code: z.string().nullable(), percent_off: z.number().nullable(), amount_off: z.int().nullable() })
      .nullable(),
    created_at: UtcInstant,
    updated_at: UtcInstant,
    latest_invoice: z
      .object({
        id: z.string(),
        status: z.string().nullable(),
        amount_due: z.int(),
        currency: z.string(),
        payment_intent: z.object({ id: z.string(), status: z.string(), client_secret: secret }).nullable(),
      })
      .nullable(),
    pending_setup_intent: z.object({ id: z.string(), status: z.string(), client_secret: secret }).nullable(),
    next_action: z.enum(['payment', 'setup', 'none']),
    payment_client: z.object({ publishable_key: z.string(), account_id: z.string() }),
  })
  .meta({ component: 'Subscription' });
export type SubscriptionView = z.infer<typeof SubscriptionView>;

export const SubscriptionId = z.string().regex(/^sub_[A-Za-z0-9_]{1,250}$/, 'must be a subscription id (sub_…)');

export const ListSubscriptionsInput = z.strictObject({
  ...Paging,
  patient_id: Id.optional(),
  status: SubscriptionStatus.optional(),
});
export type ListSubscriptionsInput = z.infer<typeof ListSubscriptionsInput>;

export const CreateSubscriptionInput = z.strictObject({
  patient_id: Id,
  price_ids: z.array(text(255)).min(1).max(20),
  cancel_at_period_end: z.boolean().optional(),
  promotion_code: text(100).optional(),
});
export type CreateSubscriptionInput = z.infer<typeof CreateSubscriptionInput>;

export const SubscriptionIdInput = z.strictObject({ id: SubscriptionId });
export const CancelSubscriptionInput = z.strictObject({ id: SubscriptionId, cancel_at_period_end: flag.optional() });
export type CancelSubscriptionInput = z.infer<typeof CancelSubscriptionInput>;

/** Portal: a link that opens the checkout page; `send` mails it to the patient as well. */
export const CreateCheckoutLinkInput = z.strictObject({
  subscription_id: SubscriptionId,
  send: z.boolean().optional(),
});
export type CreateCheckoutLinkInput = z.infer<typeof CreateCheckoutLinkInput>;
export type CheckoutLinkView = { url: string; expires_at: string; sent_to: string | null };

/** What the checkout page needs, given for a link's token. */
export type CheckoutView = {
  clinic: string;
  name: string | null;
  amount_due: number;
  currency: string;
  plan_price: number | null;
  billing_period: string | null;
  billing_interval: number | null;
  trial_end: string | null;
  next_action: 'payment' | 'setup' | 'none';
  client_secret: string | null;
  payment_client: { publishable_key: string; account_id: string };
  status: SubscriptionView['status'];
};
