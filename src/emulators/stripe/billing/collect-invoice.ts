import { ErrorReply } from '../../core/route.ts';
import type { Ledger } from '../ledger.ts';
import type { Invoice } from '../objects.ts';
import { stored } from '../state.ts';
import { defaultMethodOf } from './check-payable.ts';
import { confirmPaymentIntent, recordInvoiceFailure } from './confirm-payment-intent.ts';

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
