import type { Metadata, StripeObject } from './object-shape.ts';

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
