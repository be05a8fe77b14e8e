import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Invoice, Subscription } from '../objects.ts';
import { stored } from '../state.ts';
import { presentList } from '../wire/present.ts';
import { HOUR } from './calendar.ts';
import { discountLines } from './discounts.ts';
import { type LineOptions, linesOf, liveDiscounts, recordBilled, wireLine } from './invoice-lines.ts';

export interface DraftOptions extends LineOptions {
  reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update';
  /** Stays a draft for an hour, as renewals do. */
  held?: boolean;
  /** The usage period that is invoiced; defaults to the current instant, except for renewals. */
  usage?: { start: number; end: number };
}

/**
 * Stores a draft of what the subscription owes for its current period and makes it the latest invoice. Emits no event.
 */
export function draftInvoice(ledger: Ledger, subscription: Subscription, options: DraftOptions): Invoice {
  const { data, world } = ledger;
  const now = ledger.now(subscription.customer);
  const customer = stored(data, 'customer', subscription.customer);
  const lines = linesOf(ledger, subscription, options);
  subscription._pending_lines = [];
  const discounts = liveDiscounts(ledger, subscription, now);
  const lineDiscounts = discountLines(
    lines.map((line) => ({ ...line, product: stored(data, 'price', line.price).product })),
    discounts,
  );
  const sums = new Map<string, number>();
  for (const { amount, discount } of lineDiscounts.flat()) sums.set(discount, (sums.get(discount) ?? 0) + amount);
  for (const { discount } of discounts) if (sums.has(discount.id)) discount._used++;

  const subtotal = lines.reduce((sum, { amount }) => sum + amount, 0);
  const total = subtotal - [...sums.values()].reduce((sum, amount) => sum + amount, 0);
  const id = newId('in');
  const drafted = lines.map((line, index) => {
    const amounts = lineDiscounts[index];
    if (!amounts) throw new Error(`No discounts computed for line ${index} of ${id}`);
    return {
      line,
      shown: wireLine(ledger, line, amounts, id, subscription),
      net: line.amount - amounts.reduce((sum, { amount }) => sum + amount, 0),
    };
  });
  const shown = drafted.map((each) => each.shown);
  recordBilled(
    subscription,
    drafted.map(({ line, shown: { id }, net }) => ({ ...line, id, net })),
    id,
  );
  const invoice: Invoice = {
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: null,
    account_tax_ids: null,
    amount_due: Math.max(0, total),
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: Math.max(0, total),
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: options.held ? now + HOUR : null,
    billing_reason: options.reason,
    collection_method: 'charge_automatically',
    created: now,
    currency: subscription.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: null,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone ?? null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: discounts.map(({ discount }) => discount.id),
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: { ...presentList(`/v1/invoices/${id}/lines`, shown), total_count: shown.length },
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: options.usage?.end ?? now,
    period_start: options.usage?.start ?? now,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal,
    subtotal_excluding_tax: subtotal,
    test_clock: customer.test_clock,
    total,
    total_discount_amounts: [...sums].map(([discount, amount]) => ({ amount, discount })),
    total_excluding_tax: total,
    total_pretax_credit_amounts: [...sums].map(([discount, amount]) => ({ amount, discount, type: 'discount' })),
    total_taxes: [],
    webhooks_delivered_at: null,
    _hosted_url: `${world.baseUrl}/i/${id}`,
    _payment_intent: null,
    _subscription: subscription.id,
  };
  subscription.latest_invoice = id;
  return ledger.put('invoice', invoice);
}
