import type { Ledger } from '../ledger.ts';
import type { Invoice, PaymentIntent } from '../objects.ts';

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
