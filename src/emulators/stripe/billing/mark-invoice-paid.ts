import type { Ledger } from '../ledger.ts';
import type { Invoice } from '../objects.ts';
import { applyPendingUpdate, isPendingOn } from './held-update.ts';
import { nextStatus } from './lifecycle.ts';

/**
 * Marks an open invoice as paid and updates its subscription. `method` becomes the
 * subscription's default when `save_default_payment_method` is `on_subscription`.
 */
export function markInvoicePaid(ledger: Ledger, invoice: Invoice, method: string | null = null): void {
  const now = ledger.now(invoice.customer);
  invoice.status = 'paid';
  invoice.amount_paid = invoice.amount_due;
  invoice.amount_remaining = 0;
  invoice.attempted = true;
  invoice.auto_advance = false;
  invoice.next_payment_attempt = null;
  invoice.status_transitions.paid_at = now;
  ledger.emit('invoice.paid', invoice);
  ledger.emit('invoice.payment_succeeded', invoice);
  const subscription = ledger.data.objects.subscription[invoice._subscription]!;
  let waited = false;
  ledger.change('customer.subscription.updated', subscription, () => {
    if (isPendingOn(subscription, invoice)) waited = applyPendingUpdate(subscription);
    subscription.status = nextStatus(subscription.status, { type: 'invoice_paid' });
    const saves = subscription.payment_settings.save_default_payment_method === 'on_subscription';
    if (method && saves) subscription.default_payment_method = method;
  });
  if (waited) ledger.emit('customer.subscription.pending_update_applied', subscription);
}
