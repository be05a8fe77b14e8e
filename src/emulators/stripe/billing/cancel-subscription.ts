import type { Ledger } from '../ledger.ts';
import type { Invoice, Subscription } from '../objects.ts';
import { noSuch } from '../wire/errors.ts';
import { collectInvoice, voidInvoice } from './advance-invoice.ts';
import { isBilled } from './apply-update.ts';
import { draftInvoice } from './draft-invoice.ts';
import { finalizeInvoice } from './finalize-invoice.ts';
import { endSubscription, hasEnded, nextStatus } from './lifecycle.ts';
import { prorations } from './prorate.ts';

interface CancelOptions {
  /** Credit the unused part of what was paid. */
  prorate?: boolean;
  /** Invoice the pending lines, including credits. */
  invoice_now?: boolean;
}

/**
 * Cancels the subscription immediately. An incomplete subscription's first invoice is voided.
 * @throws ErrorReply `resource_missing` when it has already ended
 */
export function cancelSubscription(
  ledger: Ledger,
  subscription: Subscription,
  { invoice_now, prorate }: CancelOptions = {},
): Subscription {
  if (hasEnded(subscription.status)) throw noSuch('subscription', subscription.id, 'id');
  const incomplete = ledger.options.canceledIncomplete ?? 'incomplete_expired';
  const status = nextStatus(subscription.status, { type: 'canceled', incomplete });
  if (subscription.status === 'incomplete') voidOpenInvoice(ledger, subscription);
  const last = lastInvoice(ledger, subscription, { invoice_now, prorate });
  endSubscription(ledger, subscription, status as 'canceled' | 'incomplete_expired', 'cancellation_requested');
  if (last) {
    last.auto_advance = true;
    ledger.emit('invoice.created', last);
    finalizeInvoice(ledger, last);
    collectInvoice(ledger, last);
  }
  return subscription;
}

/**
 * Drafts the invoice of pending lines, with the credit of an
 * immediate end, if requested; otherwise the lines stay pending.
 */
export function lastInvoice(
  ledger: Ledger,
  subscription: Subscription,
  { invoice_now, prorate }: CancelOptions,
): Invoice | undefined {
  if (prorate && isBilled(subscription)) {
    const now = ledger.now(subscription.customer);
    subscription._pending_lines.push(...prorations(ledger, subscription, null, now));
  }
  if (!invoice_now || subscription._pending_lines.length === 0) return undefined;
  return draftInvoice(ledger, subscription, { reason: 'subscription_update', pendingOnly: true });
}

/** Expires a subscription whose first invoice was not paid within 23 hours. */
export function expireIncomplete(ledger: Ledger, subscription: Subscription): void {
  voidOpenInvoice(ledger, subscription);
  ledger.change('customer.subscription.updated', subscription, () => {
    subscription.status = nextStatus(subscription.status, { type: 'first_payment_expired' });
    subscription.ended_at = ledger.now(subscription.customer);
  });
}

function voidOpenInvoice(ledger: Ledger, subscription: Subscription): void {
  const invoice = ledger.data.objects.invoice[subscription.latest_invoice ?? ''];
  if (invoice?.status === 'open') voidInvoice(ledger, invoice);
}
