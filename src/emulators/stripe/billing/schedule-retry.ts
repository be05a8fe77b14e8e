import type { Ledger } from '../ledger.ts';
import type { Invoice } from '../objects.ts';
import { DAY } from './calendar.ts';
import { endSubscription } from './end-subscription.ts';
import { isHeldBy } from './held-update.ts';
import { hasEnded, nextStatus } from './lifecycle.ts';

const DEFAULT_RETRY_DAYS = [1, 3, 5, 7];

/**
 * Schedules the next automatic payment of a failed invoice.
 * @returns the account's final action when no retries are left
 */
export function scheduleRetry(ledger: Ledger, invoice: Invoice): (() => void) | undefined {
  const { data, options } = ledger;
  const subscription = data.objects.subscription[invoice._subscription]!;
  invoice.next_payment_attempt = null;
  // The first invoice is never retried: the subscription stays incomplete until it is paid or 23 hours pass.
  if (invoice.billing_reason === 'subscription_create' || hasEnded(subscription.status)) return undefined;
  // The invoice of a pending update is not retried either: the update expires before.
  if (isHeldBy(subscription, invoice)) return undefined;
  const days = (options.retryDays ?? DEFAULT_RETRY_DAYS)[invoice.attempt_count - 1];
  if (days !== undefined) {
    invoice.next_payment_attempt = ledger.now(invoice.customer) + days * DAY;
    return undefined;
  }
  return () => {
    const policy = options.afterRetries ?? 'canceled';
    invoice.auto_advance = false;
    if (policy === 'canceled') {
      endSubscription(ledger, subscription, 'canceled', 'payment_failed');
      return;
    }
    ledger.change('customer.subscription.updated', subscription, () => {
      subscription.status = nextStatus(subscription.status, { type: 'retries_exhausted', policy });
    });
  };
}
