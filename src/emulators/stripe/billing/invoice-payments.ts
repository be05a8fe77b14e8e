import type { Invoice, PaymentIntent } from '../objects.ts';
import type { AccountData } from '../state.ts';
import { presentList, type Wire } from '../wire/present.ts';

function intentOf(invoice: Invoice, data: AccountData): PaymentIntent | undefined {
  return invoice._payment_intent === null ? undefined : data.objects.payment_intent[invoice._payment_intent];
}

/** Returns `{client_secret, type}` of the invoice's payment; null when nothing is due, as in a trial. */
export function confirmationSecret(invoice: Invoice, data: AccountData): Wire | null {
  const intent = intentOf(invoice, data);
  return intent ? { client_secret: intent.client_secret, type: 'payment_intent' } : null;
}

/** Returns the list of InvoicePayments: one for the invoice's PaymentIntent, none when nothing was due. */
export function invoicePayments(invoice: Invoice, data: AccountData): Wire {
  const intent = intentOf(invoice, data);
  return presentList(`/v1/invoice_payments?invoice=${invoice.id}`, intent ? [invoicePayment(invoice, intent)] : []);
}

export interface PaymentFilter {
  invoice?: string;
  payment_intent?: string;
  status?: string;
}

/** Lists InvoicePayments of all invoices, newest first. Clients use them to find the invoice of a payment or refund. */
export function allInvoicePayments(data: AccountData, filter: PaymentFilter): Wire[] {
  return Object.values(data.objects.invoice)
    .filter(
      ({ id, _payment_intent }) =>
        (filter.invoice ?? id) === id && (filter.payment_intent ?? _payment_intent) === _payment_intent,
    )
    .flatMap((invoice) => invoicePayments(invoice, data).data as Wire[])
    .filter(({ status }) => (filter.status ?? status) === status)
    .reverse();
}

function invoicePayment(invoice: Invoice, intent: PaymentIntent): Wire {
  const status = { paid: 'paid', void: 'canceled' }[invoice.status as string] ?? 'open';
  return {
    id: intent.id.replace('pi_', 'inpay_'),
    object: 'invoice_payment',
    amount_paid: status === 'paid' ? intent.amount : null,
    amount_requested: intent.amount,
    created: intent.created,
    currency: intent.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent: intent.id },
    status,
    status_transitions: {
      canceled_at: invoice.status_transitions.voided_at,
      paid_at: invoice.status_transitions.paid_at,
    },
  };
}
