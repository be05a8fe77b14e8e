import type { Ledger } from '../ledger.ts';
import type { Invoice, Subscription } from '../objects.ts';
import { stored } from '../state.ts';
import { invalidRequest } from '../wire/errors.ts';
import { presentItem } from '../wire/present.ts';
import { collectInvoice, voidInvoice } from './advance-invoice.ts';
import type { UpdateSubscriptionInput } from './apply-update.ts';
import { HOUR } from './calendar.ts';
import { finalizeInvoice } from './finalize-invoice.ts';

/** Parameters that a pending update may change (Stripe, "Pending updates reference"). */
const SUPPORTED = ['billing_cycle_anchor', 'expand', 'items', 'off_session', 'payment_behavior', 'proration_behavior'];
const ALSO_SUPPORTED = ['proration_date', 'trial_end'];
const ITEM = ['id', 'price', 'quantity'];
/** Stripe waits this long for the payment, but not beyond the end of the period or trial. */
const TTL = 23 * HOUR;

/** Fields of a subscription that an update writes. */
const UPDATED_FIELDS = [
  ...['billing_cycle_anchor', 'cancel_at', 'status', 'trial_end', 'trial_start'],
  ...['_items', '_pending_lines', '_period', '_trial_end_announced'],
] as const;

/** Rejects parameters that a pending update does not support. */
export function checkPending(input: UpdateSubscriptionInput): void {
  const names = Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const items = (input.items ?? []).flatMap((item) =>
    Object.entries(item).flatMap(([name, value]) =>
      value === undefined || ITEM.includes(name) ? [] : [`items[${name}]`],
    ),
  );
  const [unsupported] = [...names.filter((name) => ![...SUPPORTED, ...ALSO_SUPPORTED].includes(name)), ...items];
  if (unsupported)
    throw invalidRequest(`You cannot pass \`${unsupported}\` with \`payment_behavior=pending_if_incomplete\`.`, {
      param: unsupported,
    });
}

/**
 * Invoices an update and applies it once the invoice is paid.
 * Until then it is in `pending_update`, for at most 23 hours.
 * @param changed a copy of the subscription with the update applied
 * @param draft the invoice that the update requires
 */
export function holdUpdate(ledger: Ledger, subscription: Subscription, changed: Subscription, draft: Invoice): void {
  discardUpdate(ledger, subscription);
  const now = ledger.now(subscription.customer);
  const ends = subscription.status === 'trialing' ? subscription.trial_end! : subscription._period.end;
  const expires_at = Math.min(now + TTL, ends);
  const after = structuredClone(Object.fromEntries(UPDATED_FIELDS.map((name) => [name, changed[name]])));
  const invoice = ledger.put('invoice', structuredClone(draft));
  subscription._held = { invoice: invoice.id, expires_at, after };
  ledger.emit('invoice.created', invoice);
  finalizeInvoice(ledger, invoice);
  collectInvoice(ledger, invoice);
  ledger.change('customer.subscription.updated', subscription, () => {
    subscription.latest_invoice = invoice.id;
    if (subscription._held?.invoice === invoice.id)
      subscription.pending_update = shown(ledger, subscription, changed, expires_at);
  });
}

function shown({ data }: Ledger, before: Subscription, changed: Subscription, expires_at: number) {
  const differs = (name: 'billing_cycle_anchor' | 'trial_end') =>
    before[name] === changed[name] ? null : changed[name];
  return {
    billing_cycle_anchor: differs('billing_cycle_anchor'),
    cancel_at_period_end: null,
    discount: null,
    discounts: null,
    expires_at,
    metadata: null,
    subscription_items: changed._items.map((item) => presentItem(item, changed, stored(data, 'price', item.price))),
    trial_end: differs('trial_end'),
    trial_from_plan: null,
  };
}

/** Discards an unpaid update and voids its invoice. With `reason`, emits the event of its expiry. */
export function discardUpdate(ledger: Ledger, subscription: Subscription, reason?: 'expired'): void {
  const held = subscription._held;
  if (!held) return;
  delete subscription._held;
  const invoice = ledger.data.objects.invoice[held.invoice];
  if (invoice?.status === 'open') voidInvoice(ledger, invoice);
  ledger.change('customer.subscription.updated', subscription, () => {
    subscription.pending_update = null;
  });
  if (reason) ledger.emit('customer.subscription.pending_update_expired', subscription);
}
