import { z } from 'zod';
import { markUncollectible, voidInvoice } from '../billing/advance-invoice.ts';
import { defaultMethodOf, requireCharges } from '../billing/check-payable.ts';
import { confirmPaymentIntent } from '../billing/confirm-payment-intent.ts';
import { finalizeInvoice } from '../billing/finalize-invoice.ts';
import { allInvoicePayments } from '../billing/invoice-payments.ts';
import { stored } from '../state.ts';
import { invalidRequest } from '../wire/errors.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { flag, paging, range, text } from '../wire/params.ts';
import { present, presentList, type Wire } from '../wire/present.ts';
import { resolveMethod } from './payment-methods.ts';

export const invoices: Operation[] = [
  operation(
    'GET',
    '/v1/invoices',
    {
      ...paging,
      created: range.optional(),
      customer: text.optional(),
      status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']).optional(),
      subscription: text.optional(),
    },
    ({ input, ledger }) =>
      listPage(
        ledger,
        'invoice',
        '/v1/invoices',
        input,
        (one) =>
          (input.customer === undefined || one.customer === input.customer) &&
          (input.status === undefined || one.status === input.status) &&
          (input.subscription === undefined || one._subscription === input.subscription) &&
          within(one.created, input.created),
      ),
  ),
  operation('GET', '/v1/invoices/:id', {}, ({ path, ledger }) =>
    present(ledger.find('invoice', path.id, 'id'), ledger.data),
  ),
  operation(
    'POST',
    '/v1/invoices/:id/pay',
    { payment_method: text.optional(), off_session: flag.optional() },
    ({ input, path, ledger }) => {
      requireCharges(ledger);
      const invoice = ledger.find('invoice', path.id, 'id');
      if (invoice.status === 'paid') throw invalidRequest('Invoice is already paid', { code: 'invoice_already_paid' });
      if (invoice.status === 'draft') finalizeInvoice(ledger, invoice);
      if (!['open', 'uncollectible'].includes(invoice.status) || invoice._payment_intent === null) {
        throw invalidRequest(`This invoice is ${invoice.status} and cannot be paid.`, { code: 'invoice_not_editable' });
      }
      const subscription = stored(ledger.data, 'subscription', invoice._subscription);
      const id = input.payment_method ?? defaultMethodOf(ledger, subscription);
      if (id === null) {
        const message =
          'There is no `default_payment_method` set on this Customer or Invoice. Please use a `payment_method` or set a default one.';
        throw invalidRequest(message, { code: 'invoice_payment_intent_requires_action' });
      }
      const intent = stored(ledger.data, 'payment_intent', invoice._payment_intent);
      const offSession = input.off_session ?? true;
      const method = resolveMethod(ledger, id, 'payment_method');
      confirmPaymentIntent(ledger, intent, method, { offSession, returnUrl: null, useStripeSdk: true });
      return present(invoice, ledger.data);
    },
  ),
  operation('POST', '/v1/invoices/:id/finalize', { auto_advance: flag.optional() }, ({ path, ledger }) => {
    const invoice = ledger.find('invoice', path.id, 'id');
    if (invoice.status !== 'draft')
      throw invalidRequest('This invoice is already finalized, you can’t re-finalize a non-draft invoice.', {
        code: 'invoice_not_editable',
      });
    return present(finalizeInvoice(ledger, invoice), ledger.data);
  }),
  operation('POST', '/v1/invoices/:id/void', {}, ({ path, ledger }) => {
    const invoice = ledger.find('invoice', path.id, 'id');
    if (invoice.status !== 'open')
      throw invalidRequest('You can only pass in open invoices. This invoice isn’t open.', {
        code: 'invoice_not_editable',
      });
    voidInvoice(ledger, invoice);
    return present(invoice, ledger.data);
  }),
  operation('POST', '/v1/invoices/:id/mark_uncollectible', {}, ({ path, ledger }) => {
    const invoice = ledger.find('invoice', path.id, 'id');
    if (invoice.status !== 'open')
      throw invalidRequest('You can only pass in open invoices. This invoice isn’t open.', {
        code: 'invoice_not_editable',
      });
    markUncollectible(ledger, invoice);
    return present(invoice, ledger.data);
  }),
  operation('GET', '/v1/invoices/:id/lines', paging, ({ path, ledger }) =>
    structuredClone(ledger.find('invoice', path.id, 'id').lines as Wire),
  ),
  operation(
    'GET',
    '/v1/invoice_payments',
    {
      ...paging,
      invoice: text.optional(),
      payment: z.strictObject({ type: z.literal('payment_intent'), payment_intent: text }).optional(),
      status: z.enum(['open', 'paid', 'canceled']).optional(),
    },
    ({ input, ledger }) => {
      if (input.invoice) ledger.find('invoice', input.invoice, 'invoice');
      const { invoice, payment, status, limit = 10, starting_after } = input;
      const all = allInvoicePayments(ledger.data, { invoice, payment_intent: payment?.payment_intent, status });
      const from = starting_after ? all.findIndex(({ id }) => id === starting_after) + 1 : 0;
      return presentList('/v1/invoice_payments', all.slice(from, from + limit), all.length > from + limit);
    },
  ),
  operation('GET', '/v1/subscription_items', { ...paging, subscription: text }, ({ input, ledger }) => {
    const subscription = present(ledger.find('subscription', input.subscription, 'subscription'), ledger.data);
    return presentList('/v1/subscription_items', (subscription.items as { data: unknown[] }).data);
  }),
];
