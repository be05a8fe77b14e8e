import type { Ledger } from '../ledger.ts';
import type { Subscription } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';
import { collectInvoice } from './advance-invoice.ts';
import { draftInvoice } from './draft-invoice.ts';
import { finalizeInvoice } from './finalize-invoice.ts';
import { nextStatus } from './lifecycle.ts';
import { startPeriods } from './periods.ts';

/** Pauses the subscription: no invoices and no new periods until it is resumed. */
export function pauseSubscription(ledger: Ledger, subscription: Subscription): Subscription {
  if (!['active', 'trialing', 'past_due'].includes(subscription.status)) {
    throw invalidRequest(`A subscription that is ${subscription.status} cannot be paused.`);
  }
  ledger.change('customer.subscription.updated', subscription, () => {
    subscription.status = nextStatus(subscription.status, { type: 'paused' });
    writePause(ledger, subscription, 'pause_requested');
  });
  ledger.emit('customer.subscription.paused', subscription);
  return subscription;
}

/** Resumes the subscription with a new period that starts now, and charges it. */
export function resumeSubscription(ledger: Ledger, subscription: Subscription): Subscription {
  if (subscription.status !== 'paused') throw invalidRequest('Only paused subscriptions can be resumed.');
  const now = ledger.now(subscription.customer);
  ledger.change('customer.subscription.updated', subscription, () => {
    subscription.status = nextStatus(subscription.status, { type: 'resumed' });
    delete subscription.status_details;
    subscription.billing_cycle_anchor = now;
    startPeriods(ledger, subscription, now);
  });
  ledger.emit('customer.subscription.resumed', subscription);
  const invoice = draftInvoice(ledger, subscription, { reason: 'subscription_cycle' });
  ledger.emit('invoice.created', invoice);
  finalizeInvoice(ledger, invoice);
  collectInvoice(ledger, invoice);
  return subscription;
}

/** Resumes the collection of invoices; existing drafts remain drafts. */
export function resumeCollection(ledger: Ledger, subscription: Subscription): void {
  ledger.change('customer.subscription.updated', subscription, () => {
    subscription.pause_collection = null;
  });
}

/** Records the reason of a pause, which Stripe returns only while the subscription is paused. */
export function writePause(
  ledger: Ledger,
  subscription: Subscription,
  type: 'pause_requested' | 'trial_end_without_payment_method',
): void {
  const transitioned_at = ledger.now(subscription.customer);
  subscription.status_details = { paused: { subscription: { type }, transitioned_at, type: 'subscription' } };
}
