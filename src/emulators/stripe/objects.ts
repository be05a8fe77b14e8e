/** The fields that the emulator itself reads and writes; the passive rest of each object is filled in where it is made.
 *  Fields that start with `_` are the emulator's own and never leave it (see `wire/present.ts`). */
export interface StripeObject {
  id: string;
  object: string;
  created: number;
  [field: string]: unknown;
}

export type Metadata = Record<string, string>;
export type Interval = 'day' | 'week' | 'month' | 'year';

export interface Account extends StripeObject {
  type: string;
  charges_enabled: boolean;
  payouts_enabled: boolean;
  details_submitted: boolean;
  capabilities: Record<string, string>;
  requirements: Record<string, unknown>;
  metadata: Metadata;
}

export interface Product extends StripeObject {
  active: boolean;
  default_price: string | null;
  metadata: Metadata;
  name: string;
}

export interface Price extends StripeObject {
  active: boolean;
  currency: string;
  lookup_key: string | null;
  metadata: Metadata;
  nickname: string | null;
  product: string;
  recurring: { interval: Interval; interval_count: number; [field: string]: unknown } | null;
  type: 'recurring' | 'one_time';
  unit_amount: number;
}

export interface Customer extends StripeObject {
  balance: number;
  email: string | null;
  invoice_settings: { default_payment_method: string | null; [field: string]: unknown };
  metadata: Metadata;
  name: string | null;
  test_clock: string | null;
  deleted?: true;
}

export interface Coupon extends StripeObject {
  amount_off: number | null;
  currency: string | null;
  duration: 'once' | 'repeating' | 'forever';
  duration_in_months: number | null;
  max_redemptions: number | null;
  percent_off: number | null;
  redeem_by: number | null;
  times_redeemed: number;
  _products: string[];
}

export interface PromotionCode extends StripeObject {
  active: boolean;
  code: string;
  customer: string | null;
  expires_at: number | null;
  max_redemptions: number | null;
  metadata: Metadata;
  promotion: { type: 'coupon'; coupon: string };
  restrictions: {
    first_time_transaction: boolean;
    minimum_amount: number | null;
    minimum_amount_currency: string | null;
  };
  times_redeemed: number;
}

export interface Discount extends StripeObject {
  customer: string;
  end: number | null;
  promotion_code: string | null;
  source: { type: 'coupon'; coupon: string };
  start: number;
  subscription: string | null;
  _used: number;
}

export type SubscriptionStatus =
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'canceled'
  | 'unpaid'
  | 'paused';

export interface SubscriptionItem {
  id: string;
  created: number;
  metadata: Metadata;
  price: string;
  quantity: number;
}

/** A proration waiting for the next invoice. */
export interface PendingLine {
  amount: number;
  description: string;
  price: string;
  start: number;
  end: number;
}

export interface Subscription extends StripeObject {
  billing_cycle_anchor: number;
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  canceled_at: number | null;
  cancellation_details: {
    comment: string | null;
    feedback: string | null;
    feedback_option: string | null;
    reason: string | null;
  };
  currency: string;
  customer: string;
  default_payment_method: string | null;
  discounts: string[];
  ended_at: number | null;
  latest_invoice: string | null;
  metadata: Metadata;
  payment_settings: { save_default_payment_method: 'on_subscription' | 'off'; [field: string]: unknown };
  pending_setup_intent: string | null;
  status: SubscriptionStatus;
  trial_end: number | null;
  trial_settings: { end_behavior: { missing_payment_method: 'cancel' | 'pause' | 'create_invoice' } };
  trial_start: number | null;
  _items: SubscriptionItem[];
  _period: { start: number; end: number };
  _pending_lines: PendingLine[];
  _trial_end_announced: boolean;
}

export interface Invoice extends StripeObject {
  amount_due: number;
  amount_paid: number;
  amount_remaining: number;
  attempt_count: number;
  attempted: boolean;
  auto_advance: boolean;
  automatically_finalizes_at: number | null;
  billing_reason: string;
  currency: string;
  customer: string;
  next_payment_attempt: number | null;
  number: string | null;
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  status_transitions: {
    finalized_at: number | null;
    marked_uncollectible_at: number | null;
    paid_at: number | null;
    voided_at: number | null;
  };
  total: number;
  _payment_intent: string | null;
  _subscription: string;
}

export interface NextAction {
  type: 'use_stripe_sdk' | 'redirect_to_url';
  [field: string]: unknown;
}

export type IntentStatus =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'processing'
  | 'requires_capture'
  | 'succeeded'
  | 'canceled';

interface Intent extends StripeObject {
  client_secret: string;
  customer: string | null;
  metadata: Metadata;
  next_action: NextAction | null;
  payment_method: string | null;
  status: IntentStatus;
  /** Names the running authentication, as `next_action` does. */
  _authentication: string | null;
  _return_url: string | null;
}

export interface PaymentIntent extends Intent {
  amount: number;
  amount_received: number;
  canceled_at: number | null;
  cancellation_reason: string | null;
  currency: string;
  last_payment_error: Record<string, unknown> | null;
  latest_charge: string | null;
  setup_future_usage: 'on_session' | 'off_session' | null;
  _invoice: string | null;
}

export interface SetupIntent extends Intent {
  cancellation_reason: string | null;
  last_setup_error: Record<string, unknown> | null;
  usage: string;
  _subscription: string | null;
}

export interface PaymentMethod extends StripeObject {
  customer: string | null;
  metadata: Metadata;
  card: { last4: string; [field: string]: unknown };
  type: 'card';
  _number: string;
  /** Authenticated once for later use, so that `unless_set_up` cards pass off session. */
  _set_up: boolean;
}

export interface CheckoutSession extends StripeObject {
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid' | 'no_payment_required';
  customer: string | null;
  expires_at: number;
  success_url: string;
  cancel_url: string | null;
  subscription: string | null;
  url: string | null;
  allow_promotion_codes: boolean | null;
  /** The subscription that is being paid for. */
  _attempt: string | null;
  _items: { price: string; quantity: number }[];
  _subscription_data: { description?: string; metadata: Metadata; trial_end?: number; trial_period_days?: number };
  _discounts: { coupon?: string; promotion_code?: string }[];
}

export interface TestClock extends StripeObject {
  frozen_time: number;
  status: 'ready' | 'advancing' | 'internal_failure';
}

export interface WebhookEndpoint extends StripeObject {
  enabled_events: string[];
  status: 'enabled' | 'disabled';
  url: string;
  _connect: boolean;
  _secret: string;
}

export interface StripeEvent extends StripeObject {
  type: string;
  data: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> };
}
