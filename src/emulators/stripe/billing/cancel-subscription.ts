import type { Ledger } from '../ledger.ts';
import type { Subscription } from '../objects.ts';
import { noSuch } from '../wire/errors.ts';
import { endSubscription } from './end-subscription.ts';
import { hasEnded, nextStatus } from './lifecycle.ts';
import { voidInvoice } from './void-invoice.ts';

/** Ends it now. One that has ended already is not found any more. An incomplete one gives up its first invoice. */
export function cancelSubscription(ledger: Ledger, subscription: Subscription): Subscription {
  if (hasEnded(subscription.status)) throw noSuch('subscription', subscription.id, 'id');
  const incomplete = ledger.options.canceledIncomplete ?? 'incomplete_expired';
  const status = nextStatus(subscription.status, { type: 'canceled', incomplete });
  if (subscription.status === 'incomplete') voidOpenInvoice(ledger, subscription);
  endSubscription(ledger, subscription, status as 'canceled' | 'incomplete_expired', 'cancellation_requested');
  return subscription;
}

/** The first invoice was not paid within 23 hours. */
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
