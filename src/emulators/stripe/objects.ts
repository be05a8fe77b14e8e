/**
 * The fields that the emulator reads and writes; each object's other fields are set at creation.
 * Fields that start with `_` are internal and not part of responses (see `wire/present.ts`).
 */
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

/** Stripe's discount has no `created`; here the field is internal. */
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
  /** What was debited for the item and until when, the basis of a credit; null when nothing was. */
  billed: Billed | null;
  /** The item's own period, when the items' intervals differ. */
  period?: { start: number; end: number };
}

/** `amount` covers the whole of `start` to `end`, net of discounts. */
export interface Billed {
  amount: number;
  start: number;
  end: number;
  /** The invoice line that debited it; null until that line has an invoice. */
  line: { invoice: string; id: string } | null;
}

/** A proration that waits for the next invoice. */
export interface PendingLine {
  invoice_item: string;
  amount: number;
  description: string;
  price: string;
  quantity: number;
  item: string;
  /** The invoice line that a credit refers to. */
  credited: Billed['line'];
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
  pending_update: Record<string, unknown> | null;
  status: SubscriptionStatus;
  trial_end: number | null;
  pause_collection: { behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void'; resumes_at: number | null } | null;
  trial_settings: {
    end_behavior: {
      billing_cycle_anchor: 'now' | 'unchanged' | null;
      missing_payment_method: 'cancel' | 'pause' | 'create_invoice';
    };
  };
  trial_start: number | null;
  _items: SubscriptionItem[];
  _period: { start: number; end: number };
  _pending_lines: PendingLine[];
  /** An update that waits for its invoice to be paid, with the fields to apply. */
  _held?: { invoice: string; expires_at: number; after: Record<string, unknown> };
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
  pending_webhooks: number;
  /** Endpoints that have not accepted the event. */
  _undelivered: string[];
  /** The instant from which the 30 days are counted. */
  _at: number;
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
  /** Id of the current authentication, also in `next_action`. */
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

export interface Charge extends StripeObject {
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  currency: string;
  customer: string | null;
  disputed: boolean;
  metadata: Metadata;
  paid: boolean;
  payment_intent: string;
  payment_method: string;
  payment_method_details: { type: 'card'; card: Record<string, unknown> };
  receipt_url: string | null;
  refunded: boolean;
  status: 'failed' | 'succeeded';
}

export interface Refund extends StripeObject {
  amount: number;
  charge: string;
  currency: string;
  customer: string | null;
  metadata: Metadata;
  payment_intent: string;
  status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  /** When a pending refund settles, and its final status. */
  _settles: { at: number; as: 'succeeded' | 'failed' } | null;
}

export interface Dispute extends StripeObject {
  amount: number;
  charge: string;
  currency: string;
  evidence: Record<string, unknown>;
  evidence_details: {
    due_by: number | null;
    has_evidence: boolean;
    submission_count: number;
    [field: string]: unknown;
  };
  is_charge_refundable: boolean;
  metadata: Metadata;
  payment_intent: string;
  reason: string;
  status:
    | 'needs_response'
    | 'under_review'
    | 'won'
    | 'lost'
    | 'warning_needs_response'
    | 'warning_under_review'
    | 'warning_closed';
}

export interface PaymentMethod extends StripeObject {
  customer: string | null;
  metadata: Metadata;
  card: { last4: string; [field: string]: unknown };
  type: 'card' | 'link';
  _number: string;
  /** Authenticated once for later use, so that `unless_set_up` cards can be charged off-session. */
  _set_up: boolean;
  /** Detached from its customer; it cannot be used again. */
  _detached?: boolean;
}

/** One submission of a Checkout Session's page. */
export interface CheckoutAttempt {
  email: string | null;
  /** Null when the page collects no card. */
  method: string | null;
  promotionCode?: string;
  /** Id of the 3-D Secure challenge of a subscription that does not exist yet. */
  authentication?: string;
  authenticated?: boolean;
}

export interface CheckoutSession extends StripeObject {
  mode: 'subscription' | 'setup';
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid' | 'no_payment_required';
  customer: string | null;
  customer_details: Record<string, unknown> | null;
  customer_email: string | null;
  expires_at: number;
  success_url: string;
  cancel_url: string | null;
  setup_intent: string | null;
  subscription: string | null;
  url: string | null;
  allow_promotion_codes: boolean | null;
  payment_method_collection: 'always' | 'if_required' | null;
  /** The submission that waits for its 3-D Secure challenge. */
  _attempt: CheckoutAttempt | null;
  _items: { price: string; quantity: number }[];
  _subscription_data: {
    description?: string;
    metadata: Metadata;
    missing_payment_method?: 'cancel' | 'pause' | 'create_invoice';
    trial_end?: number;
    trial_period_days?: number;
  };
  _discounts: { coupon?: string; promotion_code?: string }[];
  /** Discount on each of `_items`, in minor units. */
  _line_discounts?: number[];
}
