import type { Ledger } from '../ledger.ts';
import type { Invoice } from '../objects.ts';
import { stored } from '../state.ts';
import { defaultMethodOf } from './check-payable.ts';
import { applyPendingUpdate, isPendingOn, nextStatus } from './lifecycle.ts';
import { newPaymentIntent } from './new-payment-intent.ts';

/**
 * Finalizes a draft: assigns a number, applies the customer's credit, and
 * marks it paid (nothing due) or open with a PaymentIntent.
 */
export function finalizeInvoice(ledger: Ledger, invoice: Invoice): Invoice {
  const { data } = ledger;
  const now = ledger.now(invoice.customer);
  const customer = stored(data, 'customer', invoice.customer);
  const subscription = stored(data, 'subscription', invoice._subscription);

  invoice.starting_balance = customer.balance;
  invoice.amount_due = Math.max(0, invoice.total + customer.balance);
  ledger.change('customer.updated', customer, () => {
    customer.balance = Math.min(0, invoice.total + customer.balance);
  });
  invoice.ending_balance = customer.balance;
  invoice.amount_remaining = invoice.amount_due;
  invoice.number = `${String(customer.invoice_prefix)}-${String(countNumbered(ledger, customer.id) + 1).padStart(4, '0')}`;
  invoice.status = 'open';
  invoice.status_transitions.finalized_at = now;
  invoice.effective_at = now;
  invoice.automatically_finalizes_at = null;
  invoice.hosted_invoice_url = invoice._hosted_url;
  invoice.invoice_pdf = `${invoice._hosted_url}/pdf`;
  if (invoice.amount_due > 0) {
    const intent = newPaymentIntent(ledger, {
      amount: invoice.amount_due,
      currency: invoice.currency,
      customer: customer.id,
      description: invoice.billing_reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update',
      setup_future_usage: 'off_session',
      payment_method: defaultMethodOf(ledger, subscription),
      _invoice: invoice.id,
    });
    invoice._payment_intent = intent.id;
  }
  ledger.emit('invoice.finalized', invoice);
  if (invoice.amount_due === 0) markInvoicePaid(ledger, invoice);
  return invoice;
}

function countNumbered(ledger: Ledger, customer: string): number {
  return ledger.all('invoice').filter((invoice) => invoice.customer === customer && invoice.number !== null).length;
}

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
  const subscription = stored(ledger.data, 'subscription', invoice._subscription);
  let wasPending = false;
  ledger.change('customer.subscription.updated', subscription, () => {
    if (isPendingOn(subscription, invoice)) wasPending = applyPendingUpdate(subscription);
    subscription.status = nextStatus(subscription.status, { type: 'invoice_paid' });
    const savesMethod = subscription.payment_settings.save_default_payment_method === 'on_subscription';
    if (method && savesMethod) subscription.default_payment_method = method;
  });
  if (wasPending) ledger.emit('customer.subscription.pending_update_applied', subscription);
}
