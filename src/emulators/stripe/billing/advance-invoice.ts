import { ErrorReply } from '../../core/route.ts';
import type { Ledger } from '../ledger.ts';
import type { Invoice, PaymentIntent } from '../objects.ts';
import { stored } from '../state.ts';
import { defaultMethodOf } from './check-payable.ts';
import { confirmPaymentIntent, recordInvoiceFailure } from './confirm-payment-intent.ts';
import { finalizeInvoice } from './finalize-invoice.ts';

/**
 * Processes an invoice an hour after its draft: finalizes and
 * collects it, or follows the subscription's `pause_collection`.
 */
export function advanceInvoice(ledger: Ledger, invoice: Invoice): void {
  const behavior = ledger.data.objects.subscription[invoice._subscription]?.pause_collection?.behavior;
  if (behavior === 'keep_as_draft') {
    ledger.change('invoice.updated', invoice, () => {
      invoice.auto_advance = false;
      invoice.automatically_finalizes_at = null;
    });
    return;
  }
  finalizeInvoice(ledger, invoice);
  if (invoice.status !== 'open') return;
  if (behavior === 'void') voidInvoice(ledger, invoice);
  else if (behavior === 'mark_uncollectible') markUncollectible(ledger, invoice);
  else collectInvoice(ledger, invoice);
}

/** Marks an invoice as not expected to be paid; it can still be paid. */
export function markUncollectible(ledger: Ledger, invoice: Invoice): void {
  invoice.status = 'uncollectible';
  invoice.auto_advance = false;
  invoice.next_payment_attempt = null;
  invoice.status_transitions.marked_uncollectible_at = ledger.now(invoice.customer);
  ledger.emit('invoice.marked_uncollectible', invoice);
}

/** Charges an open invoice to the subscription's default payment method. A failure is recorded, not thrown. */
export function collectInvoice(ledger: Ledger, invoice: Invoice): void {
  const { data } = ledger;
  if (invoice.status !== 'open' || invoice._payment_intent === null) return;
  const subscription = stored(data, 'subscription', invoice._subscription);
  const method = data.objects.payment_method[defaultMethodOf(ledger, subscription) ?? ''];
  if (!method || !data.account.charges_enabled) {
    recordInvoiceFailure(ledger, invoice);
    return;
  }
  // The cardholder is present at creation, so a card may require 3-D Secure; renewals are off-session.
  const offSession = invoice.billing_reason !== 'subscription_create';
  const intent = stored(data, 'payment_intent', invoice._payment_intent);
  try {
    confirmPaymentIntent(ledger, intent, method, { offSession, returnUrl: null, useStripeSdk: true });
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
  }
}

/** Voids an open invoice and cancels its PaymentIntent. */
export function voidInvoice(ledger: Ledger, invoice: Invoice): void {
  invoice.status = 'void';
  invoice.auto_advance = false;
  invoice.next_payment_attempt = null;
  invoice.status_transitions.voided_at = ledger.now(invoice.customer);
  const intent =
    invoice._payment_intent === null ? undefined : ledger.data.objects.payment_intent[invoice._payment_intent];
  if (intent) cancelPaymentIntent(ledger, intent, 'void_invoice');
  ledger.emit('invoice.voided', invoice);
}

export function cancelPaymentIntent(ledger: Ledger, intent: PaymentIntent, reason: string | null): void {
  intent.status = 'canceled';
  intent.canceled_at = ledger.now(intent.customer);
  intent.cancellation_reason = reason;
  intent.next_action = null;
  intent._authentication = null;
  ledger.emit('payment_intent.canceled', intent);
}
