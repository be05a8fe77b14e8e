import type { Route } from '../../core/route.ts';
import type { StripeState } from '../state.ts';
import { html, money, page } from './page.ts';

const unknown = () => page('Not found', html`<p>There is nothing here.</p>`, 404);
const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);

/** What `hosted_invoice_url` and `receipt_url` lead to. */
export const receiptPages: Route<StripeState>[] = [
  {
    method: 'GET',
    path: '/i/:id',
    handle({ params }, { state }) {
      const stores = Object.values(state.accounts);
      const invoice = stores.map(({ objects }) => objects.invoice[params.id!]).find((found) => found !== undefined);
      if (!invoice) return unknown();
      const { data: lines } = invoice.lines as { data: { description: string; amount: number }[] };
      return page(
        `Invoice ${invoice.number}`,
        html`<p>${day(invoice.created)} · ${invoice.status}</p>
<table>${lines.map((line) => html`<tr><td>${line.description}</td><td>${money(line.amount, invoice.currency)}</td></tr>`)}
<tr><td><strong>Amount due</strong></td><td>${money(invoice.amount_due, invoice.currency)}</td></tr>
<tr><td><strong>Amount paid</strong></td><td>${money(invoice.amount_paid, invoice.currency)}</td></tr></table>`,
      );
    },
  },
  {
    method: 'GET',
    path: '/receipts/:account/:id',
    handle({ params }, { state }) {
      const charge = state.accounts[params.account!]?.objects.charge[params.id!];
      if (!charge) return unknown();
      const { card } = charge.payment_method_details;
      const paid = money(charge.amount, charge.currency);
      return page('Receipt', html`<p>${paid} paid on ${day(charge.created)} with a card ending in ${card.last4}.</p>`);
    },
  },
];
