import { periodOf } from '../billing/calendar.ts';
import type { Price, StripeObject, Subscription, SubscriptionItem } from '../objects.ts';
import { type AccountData, stored } from '../state.ts';

export type Wire = Record<string, unknown>;

/** Renders an object in Stripe's shape with references as ids: omits internal `_fields`, adds items and prices. */
export function present(object: StripeObject, data: AccountData): Wire {
  const visible = Object.fromEntries(Object.entries(object).filter(([key]) => !key.startsWith('_')));
  if (object.object === 'discount') delete visible.created;
  if (object.object === 'subscription') visible.items = presentItems(object as Subscription, data);
  return structuredClone(visible);
}

export function presentList(url: string, data: unknown[], hasMore = false): Wire {
  return { object: 'list', data, has_more: hasMore, url };
}

function presentItems(subscription: Subscription, data: AccountData): Wire {
  const items = subscription._items.map((item) => presentItem(item, subscription, stored(data, 'price', item.price)));
  return { ...presentList(`/v1/subscription_items?subscription=${subscription.id}`, items), total_count: items.length };
}

export function presentItem(item: SubscriptionItem, subscription: Subscription, price: Price): Wire {
  const { start, end } = periodOf(subscription, item);
  return {
    id: item.id,
    object: 'subscription_item',
    ...(item.billed && { billed_until: item.billed.end }),
    billing_thresholds: null,
    created: item.created,
    current_period_end: end,
    current_period_start: start,
    current_trial: null,
    discounts: [],
    metadata: item.metadata,
    plan: planOf(price),
    price,
    quantity: item.quantity,
    subscription: subscription.id,
    tax_rates: [],
  };
}

/** Renders a recurring price as a plan, its older form, which Stripe still includes in each item. */
function planOf(price: Price): Wire {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: String(price.unit_amount),
    billing_scheme: 'per_unit',
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval,
    interval_count: price.recurring?.interval_count,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  };
}

/** Fields that a publishable key may read (Stripe API reference, "retrieve with client_secret"). */
const PUBLISHABLE_FIELDS: Record<string, string[]> = {
  payment_intent: [
    'id',
    'object',
    'amount',
    'automatic_payment_methods',
    'canceled_at',
    'cancellation_reason',
    'capture_method',
    'client_secret',
    'confirmation_method',
    'created',
    'currency',
    'description',
    'last_payment_error',
    'livemode',
    'next_action',
    'payment_method',
    'payment_method_types',
    'processing',
    'receipt_email',
    'setup_future_usage',
    'shipping',
    'status',
  ],
  setup_intent: [
    'id',
    'object',
    'cancellation_reason',
    'client_secret',
    'created',
    'description',
    'last_setup_error',
    'livemode',
    'next_action',
    'payment_method',
    'payment_method_types',
    'status',
    'usage',
  ],
  payment_method: ['id', 'object', 'billing_details', 'card', 'created', 'livemode', 'type'],
};

export function presentToBrowser(object: Wire): Wire {
  const fields = PUBLISHABLE_FIELDS[String(object.object)] ?? [];
  return Object.fromEntries(Object.entries(object).filter(([key]) => fields.includes(key)));
}
