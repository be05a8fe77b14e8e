import type { Ledger } from '../ledger.ts';
import type { Invoice, Subscription } from '../objects.ts';
import { draftInvoice } from './draft-invoice.ts';
import { renewPeriods } from './periods.ts';

/**
 * Starts the next period with a draft invoice, which is finalized an
 * hour later; for an unpaid subscription it remains a draft.
 */
export function renewSubscription(ledger: Ledger, subscription: Subscription): void {
  let invoice: Invoice | undefined;
  ledger.change('customer.subscription.updated', subscription, () => {
    const before = subscription._period;
    const items = renewPeriods(ledger, subscription);
    invoice = draftInvoice(ledger, subscription, {
      reason: 'subscription_cycle',
      items,
      held: subscription.status !== 'unpaid',
      usage: before,
    });
  });
  if (subscription.status === 'unpaid') invoice!.auto_advance = false;
  ledger.emit('invoice.created', invoice!);
}
