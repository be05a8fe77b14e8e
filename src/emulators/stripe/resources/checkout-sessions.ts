import { z } from 'zod';
import { DAY, HOUR } from '../billing/calendar.ts';
import { checkPrice, checkTogether } from '../billing/check-price.ts';
import { expireCheckout } from '../billing/checkout.ts';
import { randomText } from '../ids.ts';
import type { CheckoutSession } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { flag, integer, metadata, paging, range, text } from '../wire/params.ts';
import { present } from '../wire/present.ts';
import { newCustomer } from './customers.ts';

const SESSIONS = '/v1/checkout/sessions';
const url = text.regex(/^https?:\/\//, 'Not a valid URL');

export const checkoutSessions: Operation[] = [
  operation(
    'POST',
    SESSIONS,
    {
      allow_promotion_codes: flag.optional(),
      cancel_url: url.optional(),
      client_reference_id: text.max(200).optional(),
      customer: text.optional(),
      customer_email: text.optional(),
      discounts: z
        .array(z.strictObject({ coupon: text.optional(), promotion_code: text.optional() }))
        .max(1)
        .optional(),
      expires_at: integer.optional(),
      line_items: z.array(z.strictObject({ price: text, quantity: integer.pipe(z.number().min(1)).optional() })).min(1),
      metadata: metadata.optional(),
      mode: z.literal('subscription'),
      subscription_data: z
        .strictObject({
          description: text.optional(),
          metadata: metadata.optional(),
          trial_end: integer.optional(),
          trial_period_days: integer.pipe(z.number().min(1).max(730)).optional(),
        })
        .optional(),
      success_url: url,
      ui_mode: z.literal('hosted_page').optional(),
    },
    ({ input, ledger }) => {
      if (input.allow_promotion_codes !== undefined && input.discounts) {
        throw invalidRequest('You may only specify one of these parameters: allow_promotion_codes, discounts.');
      }
      if (input.customer && input.customer_email) {
        throw invalidRequest('You may only specify one of these parameters: customer, customer_email.');
      }
      const prices = input.line_items.map(({ price }, index) =>
        checkPrice(ledger, price, `line_items[${index}][price]`),
      );
      checkTogether(prices);
      const now = ledger.now();
      const expiresAt = input.expires_at ?? now + DAY;
      if (expiresAt < now + HOUR / 2 || expiresAt > now + DAY) {
        throw invalidRequest('The `expires_at` timestamp must be between 30 minutes and 24 hours from now.', {
          param: 'expires_at',
        });
      }
      const customer = input.customer ? ledger.find('customer', input.customer, 'customer') : newCustomer(ledger, null);
      if (!input.customer) {
        customer.email = input.customer_email ?? null;
        ledger.put('customer', customer);
        ledger.emit('customer.created', customer);
      }
      const total = prices.reduce(
        (sum, { unit_amount }, index) => sum + unit_amount * (input.line_items[index]!.quantity ?? 1),
        0,
      );
      const id = `cs_test_a1${randomText(56)}`;
      const session: CheckoutSession = {
        id,
        object: 'checkout.session',
        allow_promotion_codes: input.allow_promotion_codes ?? null,
        amount_subtotal: total,
        amount_total: total,
        automatic_tax: { enabled: false, liability: null, provider: null, status: null },
        cancel_url: input.cancel_url ?? null,
        client_reference_id: input.client_reference_id ?? null,
        client_secret: null,
        created: now,
        currency: prices[0]!.currency,
        custom_fields: [],
        customer: customer.id,
        customer_details: {
          email: customer.email,
          name: customer.name,
          phone: null,
          address: null,
          tax_exempt: 'none',
          tax_ids: null,
        },
        customer_email: input.customer_email ?? null,
        discounts: (input.discounts ?? []).map((one) => ({
          coupon: one.coupon ?? null,
          promotion_code: one.promotion_code ?? null,
        })),
        expires_at: expiresAt,
        invoice: null,
        livemode: false,
        metadata: input.metadata ?? {},
        mode: 'subscription',
        payment_intent: null,
        payment_method_types: ['card'],
        payment_status: 'unpaid',
        setup_intent: null,
        status: 'open',
        subscription: null,
        success_url: input.success_url,
        ui_mode: 'hosted_page',
        url: `${ledger.world.baseUrl}/c/pay/${ledger.accountId}/${id}`,
        _attempt: null,
        _discounts: input.discounts ?? [],
        _items: input.line_items.map(({ price, quantity }) => ({ price, quantity: quantity ?? 1 })),
        _subscription_data: { ...input.subscription_data, metadata: input.subscription_data?.metadata ?? {} },
      };
      return present(ledger.put('checkout_session', session), ledger.data);
    },
  ),
  operation(
    'GET',
    SESSIONS,
    {
      ...paging,
      created: range.optional(),
      customer: text.optional(),
      status: z.enum(['complete', 'expired', 'open']).optional(),
      subscription: text.optional(),
    },
    ({ input, ledger }) =>
      listPage(
        ledger,
        'checkout_session',
        SESSIONS,
        input,
        (one) =>
          (input.customer === undefined || one.customer === input.customer) &&
          (input.status === undefined || one.status === input.status) &&
          (input.subscription === undefined || one.subscription === input.subscription) &&
          within(one.created, input.created),
      ),
  ),
  operation('GET', `${SESSIONS}/:id`, {}, ({ path, ledger }) =>
    present(ledger.find('checkout_session', path.id!, 'id'), ledger.data),
  ),
  operation('POST', `${SESSIONS}/:id/expire`, {}, ({ path, ledger }) => {
    const session = ledger.find('checkout_session', path.id!, 'id');
    if (session.status !== 'open')
      throw invalidRequest('Only Checkout Sessions with a status in ["open"] can be expired.');
    expireCheckout(ledger, session);
    return present(session, ledger.data);
  }),
];
