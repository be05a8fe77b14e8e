import { randomText } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { CheckoutSession, Customer, Metadata } from '../objects.ts';
import { detailsOf } from './checkout.ts';

export interface SessionAmounts {
  currency: string;
  /** One amount per line. */
  discounts: number[];
  subtotal: number;
  total: number;
}

interface SessionInput {
  allow_promotion_codes?: boolean;
  allowed_payment_method_types?: 'card'[];
  cancel_url?: string;
  client_reference_id?: string;
  currency?: string;
  customer_creation?: 'always' | 'if_required';
  customer_email?: string;
  discounts?: { coupon?: string; promotion_code?: string }[];
  line_items?: { price: string; quantity?: number }[];
  locale?: string;
  metadata?: Metadata | null;
  mode: 'subscription' | 'setup';
  payment_method_collection?: 'always' | 'if_required';
  subscription_data?: {
    description?: string;
    metadata?: Metadata | null;
    trial_end?: number;
    trial_period_days?: number;
    trial_settings?: { end_behavior: { missing_payment_method: 'cancel' | 'pause' | 'create_invoice' } };
  };
  success_url: string;
}

interface SessionContext {
  /** Null in setup mode. */
  amounts: SessionAmounts | null;
  customer: Customer | null;
  expiresAt: number;
  setupIntent: string | null;
}

/** Builds an open Checkout Session with a hosted page, without storing it. */
export function newSession(
  ledger: Ledger,
  input: SessionInput,
  { amounts, customer, expiresAt, setupIntent }: SessionContext,
): CheckoutSession {
  const id = `cs_test_a1${randomText(56)}`;
  const { trial_settings, ...subscriptionData } = input.subscription_data ?? {};
  const subscribes = input.mode === 'subscription';
  return {
    id,
    object: 'checkout.session',
    adaptive_pricing: subscribes ? { enabled: false } : null,
    after_expiration: null,
    allow_promotion_codes: input.allow_promotion_codes ?? null,
    allowed_payment_method_types: input.allowed_payment_method_types ?? null,
    amount_subtotal: amounts?.subtotal ?? null,
    amount_total: amounts?.total ?? null,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: input.cancel_url ?? null,
    client_reference_id: input.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: ledger.now(),
    currency: amounts?.currency ?? input.currency ?? null,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: customer?.id ?? null,
    customer_account: null,
    customer_creation: subscribes || customer ? null : (input.customer_creation ?? 'if_required'),
    customer_details: customer ? detailsOf(customer) : null,
    customer_email: input.customer_email ?? null,
    discounts: (input.discounts ?? []).map((discount) => ({
      coupon: discount.coupon ?? null,
      promotion_code: discount.promotion_code ?? null,
    })),
    expires_at: expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: input.locale ?? null,
    managed_payments: null,
    metadata: input.metadata ?? {},
    mode: input.mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: input.payment_method_collection ?? 'always',
    payment_method_configuration_details: null,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    payment_status: subscribes ? 'unpaid' : 'no_payment_required',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: subscribes
      ? { allow_redisplay_filters: ['always'], payment_method_remove: 'disabled', payment_method_save: null }
      : null,
    setup_intent: setupIntent,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    success_url: input.success_url,
    total_details: amounts && { amount_discount: amounts.subtotal - amounts.total, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${ledger.world.baseUrl}/c/pay/${ledger.accountId}/${id}`,
    wallet_options: null,
    _attempt: null,
    _discounts: input.discounts ?? [],
    _items: (input.line_items ?? []).map(({ price, quantity }) => ({ price, quantity: quantity ?? 1 })),
    _line_discounts: amounts?.discounts,
    _subscription_data: {
      ...subscriptionData,
      metadata: subscriptionData.metadata ?? {},
      ...(trial_settings && { missing_payment_method: trial_settings.end_behavior.missing_payment_method }),
    },
  };
}
