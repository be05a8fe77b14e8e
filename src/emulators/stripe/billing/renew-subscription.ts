import type { Ledger } from '../ledger.ts';
import type { Invoice, Subscription } from '../objects.ts';
import { nextBoundary } from './calendar.ts';
import { draftInvoice } from './draft-invoice.ts';

/** Enters the next period with a draft invoice, which becomes final an hour later; while unpaid it stays a draft. */
export function renewSubscription(ledger: Ledger, subscription: Subscription): void {
  let invoice: Invoice | undefined;
  ledger.change('customer.subscription.updated', subscription, () => {
    const { interval, interval_count } = ledger.data.objects.price[subscription._items[0]!.price]!.recurring!;
    const before = subscription._period;
    const start = before.end;
    const end = nextBoundary(subscription.billing_cycle_anchor, interval, interval_count, start);
    subscription._period = { start, end };
    invoice = draftInvoice(ledger, subscription, {
      reason: 'subscription_cycle',
      held: subscription.status !== 'unpaid',
      usage: before,
    });
  });
  if (subscription.status === 'unpaid') invoice!.auto_advance = false;
  ledger.emit('invoice.created', invoice!);
}
