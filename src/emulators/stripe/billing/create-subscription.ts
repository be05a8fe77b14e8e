import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Metadata, Price, Subscription } from '../objects.ts';
import { newCustomer } from '../resources/new-customer.ts';
import { invalidRequest } from '../wire/errors.ts';
import { collectInvoice } from './advance-invoice.ts';
import { DAY, nextBoundary, recurringOf } from './calendar.ts';
import { checkOwned, defaultMethodOf, liveCustomer, requireCharges, requirePayable } from './check-payable.ts';
import { checkPrice, checkTogether } from './check-price.ts';
import { applyDiscounts, type DiscountInput } from './discounts.ts';
import { draftInvoice } from './draft-invoice.ts';
import { finalizeInvoice } from './finalize-invoice.ts';
import { nextStatus } from './lifecycle.ts';
import { newSetupIntent } from './new-setup-intent.ts';
import { startPeriods } from './periods.ts';
import { scratchLedger } from './scratch.ts';
import { announceTrialEnd } from './trial.ts';

export interface CreateSubscriptionInput {
  customer: string;
  items: { price: string; quantity?: number; metadata?: Metadata | null }[];
  payment_behavior?: 'allow_incomplete' | 'default_incomplete' | 'error_if_incomplete';
  save_default_payment_method?: 'on_subscription' | 'off';
  default_payment_method?: string;
  trial_period_days?: number;
  trial_end?: number | 'now';
  missing_payment_method?: 'cancel' | 'pause' | 'create_invoice';
  trial_end_anchor?: 'now' | 'unchanged';
  cancel_at?: number;
  cancel_at_period_end?: boolean;
  discounts?: DiscountInput[];
  description?: string;
  metadata?: Metadata | null;
}

/** Stores a subscription and the draft of its first invoice. Emits no events. */
export function prepareSubscription(ledger: Ledger, input: CreateSubscriptionInput) {
  const customer = liveCustomer(ledger, input.customer, 'customer');
  const prices = input.items.map(({ price }, index) => checkPrice(ledger, price, `items[${index}][price]`));
  checkTogether(prices);
  if (input.default_payment_method) checkOwned(ledger, input.default_payment_method, customer.id);
  const now = ledger.now(customer.id);
  const subscription = newSubscription(input, prices, now, trialEndOf(input, now), customer.test_clock);
  if (subscription.trial_end === null) startPeriods(ledger, subscription, now);
  const behavior = input.payment_behavior ?? 'allow_incomplete';
  const method = defaultMethodOf(ledger, subscription);
  const subtotal = prices.reduce(
    (sum, price, index) => sum + price.unit_amount * (input.items[index]?.quantity ?? 1),
    0,
  );
  const trial = subscription.trial_end !== null;
  if (!trial && subtotal > 0 && behavior !== 'default_incomplete') requirePayable(ledger, method, behavior);
  if (input.discounts) applyDiscounts(ledger, subscription, input.discounts, subtotal);
  ledger.put('subscription', subscription);
  const invoice = draftInvoice(ledger, subscription, { reason: 'subscription_create', trial });
  const paymentDue = invoice.total + customer.balance > 0;
  subscription.status = nextStatus(null, { type: 'created', trial, paymentDue, paid: false });
  return {
    behavior,
    customer,
    invoice,
    paymentDue,
    subscription,
    wantsCard: !paymentDue && subtotal > 0 && method === null,
  };
}

/** Creates a subscription with its first invoice, and charges the invoice as `payment_behavior` says. */
export function createSubscription(ledger: Ledger, input: CreateSubscriptionInput): Subscription {
  requireCharges(ledger);
  // A dry run on copies: a later discount may be rejected after earlier ones were redeemed.
  if (input.discounts) prepareSubscription(scratchLedger(ledger, { customer: input.customer }).ledger, input);
  const prepared = prepareSubscription(ledger, input);
  const { behavior, customer, invoice, paymentDue, subscription } = prepared;
  if (prepared.wantsCard) {
    const intent = newSetupIntent(ledger, { customer: customer.id, _subscription: subscription.id });
    subscription.pending_setup_intent = intent.id;
  }
  ledger.emit('customer.subscription.created', subscription);
  ledger.emit('invoice.created', invoice);
  finalizeInvoice(ledger, invoice);
  if (paymentDue && behavior !== 'default_incomplete') collectInvoice(ledger, invoice);
  announceTrialEnd(ledger, subscription);
  return subscription;
}

function trialEndOf({ trial_end, trial_period_days }: CreateSubscriptionInput, now: number): number | null {
  if (trial_end !== undefined && trial_period_days !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: trial_end, trial_period_days.');
  }
  if (trial_period_days !== undefined) {
    if (trial_period_days > 730)
      throw invalidRequest('The maximum number of trial period days is 730 (2 years).', { param: 'trial_period_days' });
    return trial_period_days > 0 ? now + trial_period_days * DAY : null;
  }
  if (trial_end === undefined || trial_end === 'now') return null;
  if (trial_end <= now) throw invalidRequest('The trial end date has to be in the future.', { param: 'trial_end' });
  return trial_end;
}

function newSubscription(
  input: CreateSubscriptionInput,
  prices: Price[],
  now: number,
  trialEnd: number | null,
  testClock: string | null,
): Subscription {
  const anchor = trialEnd ?? now;
  const ends = prices.map((price) => {
    const { interval, interval_count } = recurringOf(price);
    return nextBoundary(anchor, interval, interval_count, now);
  });
  // The earliest end, when the intervals differ.
  const period = { start: now, end: trialEnd ?? Math.min(...ends) };
  if (input.cancel_at !== undefined && input.cancel_at_period_end) {
    throw invalidRequest('You may only specify one of these parameters: cancel_at, cancel_at_period_end.');
  }
  if (input.cancel_at !== undefined && input.cancel_at <= now) {
    throw invalidRequest('The subscription `cancel_at` must be in the future.', { param: 'cancel_at' });
  }
  const scheduled = input.cancel_at_period_end === true || input.cancel_at !== undefined;
  return {
    id: newId('sub'),
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: anchor,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: input.cancel_at ?? (input.cancel_at_period_end ? period.end : null),
    cancel_at_period_end: input.cancel_at_period_end ?? false,
    canceled_at: scheduled ? now : null,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      reason: scheduled ? 'cancellation_requested' : null,
    },
    collection_method: 'charge_automatically',
    created: now,
    currency: prices[0]!.currency,
    customer: input.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: input.default_payment_method ?? null,
    default_source: null,
    default_tax_rates: [],
    description: input.description ?? null,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: input.metadata ?? {},
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: input.save_default_payment_method ?? 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: now,
    status: 'incomplete',
    test_clock: testClock,
    transfer_data: null,
    trial_end: trialEnd,
    trial_settings: {
      end_behavior: {
        billing_cycle_anchor: input.trial_end_anchor ?? null,
        missing_payment_method: input.missing_payment_method ?? 'create_invoice',
      },
    },
    trial_start: trialEnd === null ? null : now,
    _items: input.items.map(({ price, quantity, metadata }) => ({
      id: newId('si'),
      created: now,
      metadata: metadata ?? {},
      price,
      quantity: quantity ?? 1,
      billed: null,
    })),
    _period: period,
    _pending_lines: [],
    _trial_end_announced: false,
  };
}

/** Computes the first invoice of a subscription on copies; neither the subscription nor its customer need exist. */
export function firstInvoice(
  ledger: Ledger,
  { customer, ...input }: Omit<CreateSubscriptionInput, 'customer' | 'payment_behavior'> & { customer?: string | null },
) {
  if (customer) liveCustomer(ledger, customer, 'customer');
  const { ledger: scratch } = scratchLedger(ledger, { customer: customer ?? undefined });
  const buyer = customer ?? scratch.put('customer', newCustomer(scratch, null)).id;
  const { invoice, paymentDue } = prepareSubscription(scratch, {
    ...input,
    customer: buyer,
    payment_behavior: 'default_incomplete',
  });
  return { invoice, ledger: scratch, paymentDue };
}
