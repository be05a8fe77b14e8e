import { z } from 'zod';
import { attachMethod } from '../billing/attach-method.ts';
import { liveCustomer } from '../billing/check-payable.ts';
import { endSubscription, hasEnded } from '../billing/lifecycle.ts';
import type { Ledger } from '../ledger.ts';
import type { Customer } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { mergeMetadata, metadata, paging, range, text, unset } from '../wire/params.ts';
import { present, type Wire } from '../wire/present.ts';
import { newCustomer } from './new-customer.ts';
import { resolveMethod } from './payment-methods.ts';

const clearable = z.union([unset, text]).optional();
const address = z
  .union([unset, z.partialRecord(z.enum(['city', 'country', 'line1', 'line2', 'postal_code', 'state']), z.string())])
  .optional();
const writable = {
  address,
  description: clearable,
  email: clearable,
  invoice_settings: z.strictObject({ default_payment_method: clearable }).optional(),
  metadata: metadata.optional(),
  name: clearable,
  phone: clearable,
  preferred_locales: z.array(text).optional(),
};

interface CustomerInput {
  invoice_settings?: { default_payment_method?: string | null };
  metadata?: Record<string, string> | null;
  [field: string]: unknown;
}

function write(
  ledger: Ledger,
  customer: Customer,
  { expand: _, invoice_settings, metadata, ...rest }: CustomerInput,
): void {
  const method = invoice_settings?.default_payment_method;
  if (
    method &&
    ledger.find('payment_method', method, 'invoice_settings[default_payment_method]').customer !== customer.id
  ) {
    const message = `The customer does not have a payment method with the ID ${method}. The payment method must be attached to the customer.`;
    throw invalidRequest(message, { code: 'resource_missing', param: 'invoice_settings[default_payment_method]' });
  }
  Object.assign(customer, rest, { metadata: mergeMetadata(customer.metadata, metadata) });
  if (method !== undefined) customer.invoice_settings.default_payment_method = method;
}

export const customers: Operation[] = [
  operation(
    'POST',
    '/v1/customers',
    { ...writable, payment_method: text.optional(), test_clock: text.optional() },
    ({ input, ledger }) => {
      const { payment_method, test_clock, invoice_settings, ...rest } = input;
      if (test_clock) ledger.find('test_clock', test_clock, 'test_clock');
      const customer = newCustomer(ledger, test_clock ?? null);
      write(ledger, customer, rest);
      ledger.put('customer', customer);
      customer.created = ledger.now(customer.id);
      const method = payment_method && resolveMethod(ledger, payment_method, 'payment_method');
      if (method) attachMethod(ledger, method, customer.id);
      const defaultMethod = invoice_settings?.default_payment_method;
      if (defaultMethod) {
        const id = defaultMethod === payment_method && method ? method.id : defaultMethod;
        write(ledger, customer, { invoice_settings: { default_payment_method: id } });
      }
      ledger.emit('customer.created', customer);
      return present(customer, ledger.data);
    },
  ),
  operation(
    'GET',
    '/v1/customers',
    { ...paging, created: range.optional(), email: text.optional(), test_clock: text.optional() },
    ({ input, ledger }) =>
      listPage(
        ledger,
        'customer',
        '/v1/customers',
        input,
        (customer) =>
          !customer.deleted &&
          (input.email === undefined || customer.email === input.email) &&
          // Customers of a test clock are listed only with that clock.
          customer.test_clock === (input.test_clock ?? null) &&
          within(customer.created, input.created),
      ),
  ),
  operation('GET', '/v1/customers/:id', {}, ({ path, ledger }) =>
    present(ledger.find('customer', path.id, 'id'), ledger.data),
  ),
  operation('POST', '/v1/customers/:id', writable, ({ input, path, ledger }) => {
    const customer = liveCustomer(ledger, path.id, 'id');
    ledger.change('customer.updated', customer, () => write(ledger, customer, input));
    return present(customer, ledger.data);
  }),
  operation('DELETE', '/v1/customers/:id', {}, ({ path, ledger }) => deleteCustomer(ledger, path.id)),
];

/** Cancels the customer's subscriptions and leaves only `{id, object, deleted}`. */
export function deleteCustomer(ledger: Ledger, id: string): Wire {
  const customer = liveCustomer(ledger, id, 'id');
  for (const subscription of ledger.all('subscription')) {
    if (subscription.customer === id && !hasEnded(subscription.status)) {
      endSubscription(ledger, subscription, 'canceled', 'cancellation_requested');
    }
  }
  for (const method of ledger.all('payment_method')) {
    if (method.customer === id) Object.assign(method, { customer: null, _detached: true });
  }
  ledger.emit('customer.deleted', customer);
  const deleted = { id, object: 'customer', deleted: true } as unknown as Customer;
  ledger.put('customer', deleted);
  return { ...deleted };
}
