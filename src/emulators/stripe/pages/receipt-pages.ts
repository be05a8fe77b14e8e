import type { Route } from '../../core/route.ts';
import type { Invoice } from '../objects.ts';
import type { StripeState } from '../state.ts';
import { html, money, page } from './page.ts';

const unknown = () => page('Not found', html`<p>There is nothing here.</p>`, 404);
const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);

const invoiceOf = ({ accounts }: StripeState, id: string): Invoice | undefined =>
  Object.values(accounts)
    .map(({ objects }) => objects.invoice[id])
    .find((value) => value !== undefined);
const linesOf = ({ lines }: Invoice) => (lines as { data: { description: string; amount: number }[] }).data;

/** Routes of `hosted_invoice_url`, `invoice_pdf` and `receipt_url`. */
export const receiptPages: Route<StripeState>[] = [
  {
    method: 'GET',
    path: '/i/:id/pdf',
    handle({ params: { id = '' } }, { state }) {
      const invoice = invoiceOf(state, id);
      if (!invoice) return unknown();
      const sum = (amount: number) => money(amount, invoice.currency);
      const body = pdfOf([
        `Invoice ${invoice.number}`,
        `${day(invoice.created)}, ${invoice.status}`,
        '',
        ...linesOf(invoice).map(({ amount, description }) => `${description.replace('×', 'x')}: ${sum(amount)}`),
        '',
        `Amount due: ${sum(invoice.amount_due)}`,
        `Amount paid: ${sum(invoice.amount_paid)}`,
      ]);
      return { status: 200, body, headers: { 'content-type': 'application/pdf' } };
    },
  },
  {
    method: 'GET',
    path: '/i/:id',
    handle({ params: { id = '' } }, { state }) {
      const invoice = invoiceOf(state, id);
      if (!invoice) return unknown();
      return page(
        `Invoice ${invoice.number}`,
        html`<p>${day(invoice.created)} · ${invoice.status}</p>
<table>${linesOf(invoice).map((line) => html`<tr><td>${line.description}</td><td>${money(line.amount, invoice.currency)}</td></tr>`)}
<tr><td><strong>Amount due</strong></td><td>${money(invoice.amount_due, invoice.currency)}</td></tr>
<tr><td><strong>Amount paid</strong></td><td>${money(invoice.amount_paid, invoice.currency)}</td></tr></table>`,
      );
    },
  },
  {
    method: 'GET',
    path: '/receipts/:account/:id',
    handle({ params: { account = '', id = '' } }, { state }) {
      const charge = state.accounts[account]?.objects.charge[id];
      if (!charge) return unknown();
      const { card } = charge.payment_method_details;
      const paid = money(charge.amount, charge.currency);
      return page('Receipt', html`<p>${paid} paid on ${day(charge.created)} with a card ending in ${card.last4}.</p>`);
    },
  },
];

/** Renders lines of text as a one-page PDF 1.4 document. Characters outside ASCII become question marks. */
function pdfOf(lines: string[]): Buffer {
  const shown = lines.map((line) => line.replace(/[^\x20-\x7e]/g, '?').replace(/[\\()]/g, '\\$&'));
  const content = `BT /F1 12 Tf 16 TL 72 770 Td ${shown.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(`${body}xref\n0 ${size}\n0000000000 65535 f \n${table}${trailer}`, 'latin1');
}
