import type { Ledger } from '../ledger.ts';
import type { Invoice, Subscription, SubscriptionStatus } from '../objects.ts';

/**
 * Events of a subscription's lifecycle.
 * @see Stripe, "How subscriptions work" and the API reference of `status`
 */
export type Occasion =
  | { type: 'created'; trial: boolean; paymentDue: boolean; paid: boolean }
  | { type: 'invoice_paid' }
  | { type: 'first_payment_expired' }
  | { type: 'trial_ended'; method: boolean; otherwise: 'cancel' | 'pause' | 'create_invoice' }
  | { type: 'payment_failed' }
  | { type: 'retries_exhausted'; policy: 'canceled' | 'unpaid' | 'past_due' }
  | { type: 'period_ended_flagged' }
  | { type: 'canceled'; incomplete: 'canceled' | 'incomplete_expired' }
  | { type: 'paused' }
  | { type: 'resumed' };

const ENDED: SubscriptionStatus[] = ['canceled', 'incomplete_expired'];

export const hasEnded = (status: SubscriptionStatus) => ENDED.includes(status);

/** Returns the status after an occasion; an ended subscription never changes. */
export function nextStatus(status: SubscriptionStatus | null, occasion: Occasion): SubscriptionStatus {
  if (status === null) {
    if (occasion.type !== 'created') throw new Error(`${occasion.type} before creation`);
    if (occasion.trial) return 'trialing';
    return occasion.paymentDue && !occasion.paid ? 'incomplete' : 'active';
  }
  if (hasEnded(status)) return status;
  switch (occasion.type) {
    case 'created':
      throw new Error('created twice');
    case 'invoice_paid':
      return status === 'trialing' || status === 'paused' ? status : 'active';
    case 'first_payment_expired':
      return status === 'incomplete' ? 'incomplete_expired' : status;
    case 'trial_ended':
      if (status !== 'trialing' || occasion.method) return status === 'trialing' ? 'active' : status;
      return { cancel: 'canceled', pause: 'paused', create_invoice: 'active' }[
        occasion.otherwise
      ] as SubscriptionStatus;
    case 'payment_failed':
      return status === 'active' ? 'past_due' : status;
    case 'retries_exhausted':
      return status === 'past_due' ? occasion.policy : status;
    case 'period_ended_flagged':
      return 'canceled';
    case 'canceled':
      return status === 'incomplete' ? occasion.incomplete : 'canceled';
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
  const waited = subscription.pending_update !== null;
  if (!subscription._held) throw new Error('no update waits for this invoice');
  Object.assign(subscription, subscription._held.after);
  delete subscription._held;
  subscription.pending_update = null;
  return waited;
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
