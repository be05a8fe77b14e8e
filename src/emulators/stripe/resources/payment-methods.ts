import { z } from 'zod';
import { attachMethod } from '../billing/attach-method.ts';
import { cardByAlias, cardByNumber, testCard } from '../billing/cards.ts';
import { liveCustomer } from '../billing/check-payable.ts';
import { hasEnded } from '../billing/lifecycle.ts';
import { passesLuhn } from '../billing/luhn.ts';
import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { PaymentMethod } from '../objects.ts';
import { cardError, invalidRequest, noSuch } from '../wire/errors.ts';
import { listPage } from '../wire/list.ts';
import { type Call, type Operation, operation } from '../wire/operation.ts';
import { flag, integer, mergeMetadata, metadata, paging, text } from '../wire/params.ts';
import { present } from '../wire/present.ts';

const card = z.union([
  z.strictObject({ token: text }),
  z.strictObject({ number: text, exp_month: text, exp_year: text, cvc: text.optional() }),
]);
const billing_details = z.strictObject({
  address: z
    .partialRecord(z.enum(['city', 'country', 'line1', 'line2', 'postal_code', 'state']), z.string())
    .optional(),
  email: z.string().optional(),
  name: z.string().optional(),
  phone: z.string().optional(),
});

/** `payment_method_data[…]` of a confirmation, or the parameters of POST /v1/payment_methods. */
export const methodData = {
  type: z.literal('card'),
  card,
  billing_details: billing_details.optional(),
  metadata: metadata.optional(),
  allow_redisplay: z.enum(['always', 'limited', 'unspecified']).optional(),
};
export type MethodData = z.output<z.ZodObject<typeof methodData>>;

/**
 * Creates a card's payment method.
 * @throws ErrorReply when the number, expiry or CVC is invalid, or the card is not a test card
 */
export function newMethod(ledger: Ledger, input: MethodData, access: 'secret' | 'publishable'): PaymentMethod {
  if ('token' in input.card) {
    const card = cardByAlias(input.card.token.replace(/^tok_/, 'pm_card_'));
    if (!card)
      throw invalidRequest(`No such token: '${input.card.token}'`, { code: 'resource_missing', param: 'card[token]' });
    return storeMethod(ledger, card.number, 12, new Date(ledger.now() * 1000).getUTCFullYear() + 3, input);
  }
  if (access === 'secret') {
    const message =
      'Sending credit card numbers directly to the Stripe API is generally unsafe. We suggest you use test tokens that map to the test card you are using.';
    throw invalidRequest(message, {}, 402);
  }
  const number = input.card.number.replaceAll(/[\s-]/g, '');
  const month = Number(input.card.exp_month);
  const year = fullYear(Number(input.card.exp_year));
  checkCard(ledger, number, month, year, input.card.cvc);
  return storeMethod(ledger, number, month, year, input);
}

const fullYear = (year: number) => (year < 100 ? 2000 + year : year);

function checkCard(ledger: Ledger, number: string, month: number, year: number, cvc: string | undefined): void {
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) {
    throw cardError({ code: 'incorrect_number', message: 'Your card number is incorrect.', param: 'number' });
  }
  if (!Number.isInteger(month) || month < 1 || month > 12) {
    throw cardError({
      code: 'invalid_expiry_month',
      message: "Your card's expiration month is invalid.",
      param: 'exp_month',
    });
  }
  if (!Number.isInteger(year) || Date.UTC(year, month) / 1000 <= ledger.now()) {
    throw cardError({
      code: 'invalid_expiry_year',
      message: "Your card's expiration year is invalid.",
      param: 'exp_year',
    });
  }
  if (cvc !== undefined && !/^\d{3,4}$/.test(cvc)) {
    throw cardError({ code: 'invalid_cvc', message: "Your card's security code is invalid.", param: 'cvc' });
  }
  if (!cardByNumber(number)) {
    throw cardError({
      code: 'card_declined',
      decline_code: 'test_mode_live_card',
      message:
        'Your card was declined. Your request was in test mode, but used a non test card. For a list of valid test cards, visit: https://stripe.com/docs/testing.',
    });
  }
}

function storeMethod(
  ledger: Ledger,
  number: string,
  expMonth: number,
  expYear: number,
  input: Partial<MethodData>,
): PaymentMethod {
  const { brand, funding } = testCard(number);
  const { address, email, name, phone } = input.billing_details ?? {};
  const noAddress = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };
  return ledger.put('payment_method', {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: input.allow_redisplay ?? 'unspecified',
    billing_details: {
      address: { ...noAddress, ...address },
      email: email ?? null,
      name: name ?? null,
      phone: phone ?? null,
      tax_id: null,
    },
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: brand,
      exp_month: expMonth,
      exp_year: expYear,
      fingerprint: `emulated${number.slice(-8)}`,
      funding,
      generated_from: null,
      last4: number.slice(-4),
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: ledger.now(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: input.metadata ?? {},
    type: 'card',
    _number: number,
    _set_up: false,
  });
}

/** Returns a stored method, or creates one for a test id such as `pm_card_visa`. */
export function resolveMethod(ledger: Ledger, id: string, param: string): PaymentMethod {
  const test = cardByAlias(id);
  if (!test) return ledger.find('payment_method', id, param);
  return storeMethod(ledger, test.number, 12, new Date(ledger.now() * 1000).getUTCFullYear() + 3, {});
}

const listed = { ...paging, type: z.enum(['card', 'link']).optional(), allow_redisplay: text.optional() };

function listOf(ledger: Ledger, customer: string | undefined, url: string, input: Call<typeof listed>['input']) {
  if (customer !== undefined) liveCustomer(ledger, customer, 'customer');
  return listPage(
    ledger,
    'payment_method',
    url,
    input,
    (method) =>
      customer !== undefined &&
      method.customer === customer &&
      (input.type === undefined || method.type === input.type),
  );
}

export const paymentMethods: Operation[] = [
  operation(
    'POST',
    '/v1/payment_methods',
    methodData,
    ({ input, ledger, access }) => present(newMethod(ledger, input, access), ledger.data),
    'publishable',
  ),
  operation('GET', '/v1/payment_methods', { ...listed, customer: text.optional() }, ({ input, ledger }) =>
    listOf(ledger, input.customer, '/v1/payment_methods', input),
  ),
  operation('GET', '/v1/customers/:customer/payment_methods', listed, ({ input, path, ledger }) =>
    listOf(ledger, path.customer, `/v1/customers/${path.customer}/payment_methods`, input),
  ),
  operation('GET', '/v1/customers/:customer/payment_methods/:id', {}, ({ path, ledger }) => {
    const method = ledger.find('payment_method', path.id, 'id');
    if (method.customer !== path.customer) throw noSuch('payment_method', method.id, 'id');
    return present(method, ledger.data);
  }),
  operation('GET', '/v1/payment_methods/:id', {}, ({ path, ledger }) =>
    present(resolveMethod(ledger, path.id, 'id'), ledger.data),
  ),
  operation(
    'POST',
    '/v1/payment_methods/:id',
    {
      allow_redisplay: text.optional(),
      billing_details: billing_details.optional(),
      card: z
        .strictObject({
          exp_month: integer.pipe(z.number().min(1).max(12)).optional(),
          exp_year: integer.optional(),
        })
        .optional(),
      metadata: metadata.optional(),
    },
    ({ input, path, ledger }) => {
      const method = ledger.find('payment_method', path.id, 'id');
      ledger.change('payment_method.updated', method, () => {
        method.metadata = mergeMetadata(method.metadata, input.metadata);
        method.card = { ...method.card, ...input.card };
        method.billing_details = { ...(method.billing_details as object), ...input.billing_details };
        if (input.allow_redisplay) method.allow_redisplay = input.allow_redisplay;
      });
      return present(method, ledger.data);
    },
  ),
  operation(
    'POST',
    '/v1/payment_methods/:id/attach',
    { customer: text, validate: flag.optional() },
    ({ input, path, ledger }) => {
      const customer = liveCustomer(ledger, input.customer, 'customer');
      const method = resolveMethod(ledger, path.id, 'id');
      attachMethod(ledger, method, customer.id);
      return present(method, ledger.data);
    },
  ),
  operation('POST', '/v1/payment_methods/:id/detach', {}, ({ path, ledger }) => {
    const method = ledger.find('payment_method', path.id, 'id');
    if (method.customer === null) {
      throw invalidRequest(
        'The payment method you provided is not attached to a customer so detachment is impossible.',
      );
    }
    clearDefault(ledger, method.customer, method.id);
    const previous = { customer: method.customer };
    method.customer = null;
    method._detached = true;
    ledger.emit('payment_method.detached', method, previous);
    return present(method, ledger.data);
  }),
];

/** Removes a detached method as the default of its customer and subscriptions. */
function clearDefault(ledger: Ledger, customerId: string, method: string): void {
  const customer = ledger.data.objects.customer[customerId];
  if (customer?.invoice_settings?.default_payment_method === method) {
    ledger.change('customer.updated', customer, () => {
      customer.invoice_settings.default_payment_method = null;
    });
  }
  for (const subscription of ledger.all('subscription')) {
    if (subscription.default_payment_method !== method || hasEnded(subscription.status)) continue;
    ledger.change('customer.subscription.updated', subscription, () => {
      subscription.default_payment_method = null;
    });
  }
}
