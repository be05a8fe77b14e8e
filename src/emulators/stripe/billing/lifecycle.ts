import type { Ledger } from '../ledger.ts';
import type { Invoice, Subscription, SubscriptionStatus } from '../objects.ts';

/**
 * Events of a subscription's lifecycle.
 * @see Stripe, "How subscriptions work" and the API reference of `status`
 */
export type LifecycleEvent =
  | { type: 'created'; trial: boolean; paymentDue: boolean; paid: boolean }
  | { type: 'invoice_paid' }
  | { type: 'first_payment_expired' }
  | { type: 'trial_ended'; method: boolean; withoutMethod: 'cancel' | 'pause' | 'create_invoice' }
  | { type: 'payment_failed' }
  | { type: 'retries_exhausted'; policy: 'canceled' | 'unpaid' | 'past_due' }
  | { type: 'period_ended_flagged' }
  | { type: 'canceled'; incomplete: 'canceled' | 'incomplete_expired' }
  | { type: 'paused' }
  | { type: 'resumed' };

const ENDED_STATUSES: SubscriptionStatus[] = ['canceled', 'incomplete_expired'];

export const hasEnded = (status: SubscriptionStatus) => ENDED_STATUSES.includes(status);

/** Returns the status after an event; an ended subscription never changes. */
export function nextStatus(status: SubscriptionStatus | null, event: LifecycleEvent): SubscriptionStatus {
  if (status === null) {
    if (event.type !== 'created') throw new Error(`${event.type} before creation`);
    if (event.trial) return 'trialing';
    return event.paymentDue && !event.paid ? 'incomplete' : 'active';
  }
  if (hasEnded(status)) return status;
  switch (event.type) {
    case 'created':
      throw new Error('created twice');
    case 'invoice_paid':
      return status === 'trialing' || status === 'paused' ? status : 'active';
    case 'first_payment_expired':
      return status === 'incomplete' ? 'incomplete_expired' : status;
    case 'trial_ended':
      if (status !== 'trialing' || event.method) return status === 'trialing' ? 'active' : status;
      return { cancel: 'canceled', pause: 'paused', create_invoice: 'active' }[
        event.withoutMethod
      ] as SubscriptionStatus;
    case 'payment_failed':
      return status === 'active' ? 'past_due' : status;
    case 'retries_exhausted':
      return status === 'past_due' ? event.policy : status;
    case 'period_ended_flagged':
      return 'canceled';
    case 'canceled':
      return status === 'incomplete' ? event.incomplete : 'canceled';
    case 'paused':
      return 'paused';
    case 'resumed':
      return status === 'paused' ? 'active' : status;
  }
}

/** Returns true when an update waits for this invoice; if the payment fails, the subscription does not change. */
export const isPendingOn = (subscription: Subscription | undefined, invoice: Invoice): boolean =>
  subscription?._held?.invoice === invoice.id;

/**
 * Applies the update that its invoice paid for; the caller emits the event.
 * @returns true when the update had been reported as pending
 */
export function applyPendingUpdate(subscription: Subscription): boolean {
  const wasPending = subscription.pending_update !== null;
  if (!subscription._held) throw new Error('no update waits for this invoice');
  Object.assign(subscription, subscription._held.after);
  delete subscription._held;
  subscription.pending_update = null;
  return wasPending;
}

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
