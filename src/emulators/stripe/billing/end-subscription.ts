import type { Ledger } from '../ledger.ts';
import type { Subscription } from '../objects.ts';

/**
 * Ends a subscription permanently: drafts are no longer finalized and open invoices no longer collected automatically.
 */
export function endSubscription(
  ledger: Ledger,
  subscription: Subscription,
  status: 'canceled' | 'incomplete_expired',
  reason: string | null,
): void {
  const now = ledger.now(subscription.customer);
  // An update that waits for a payment is discarded.
  delete subscription._held;
  subscription.pending_update = null;
  subscription.status = status;
  subscription.ended_at = now;
  subscription.canceled_at ??= now;
  subscription.cancellation_details.reason ??= reason;
  for (const invoice of ledger.all('invoice')) {
    if (invoice._subscription !== subscription.id || !['draft', 'open'].includes(invoice.status)) continue;
    invoice.auto_advance = false;
    invoice.automatically_finalizes_at = null;
    invoice.next_payment_attempt = null;
  }
  ledger.emit('customer.subscription.deleted', subscription);
}
