import { z } from 'zod';
import { DAY, HOUR } from '../billing/calendar.ts';
import { liveCustomer, requireCharges } from '../billing/check-payable.ts';
import { checkPrice, checkTogether } from '../billing/check-price.ts';
import { expireCheckout } from '../billing/checkout.ts';
import { firstInvoice } from '../billing/create-subscription.ts';
import { newSession, type SessionAmounts } from '../billing/new-session.ts';
import { newSetupIntent } from '../billing/new-setup-intent.ts';
import { lineDiscounts, lineItemsOf } from '../billing/session-lines.ts';
import type { Ledger } from '../ledger.ts';
import type { Metadata } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { currency, flag, integer, mergeMetadata, metadata, paging, range, text } from '../wire/params.ts';
import { present } from '../wire/present.ts';

const SESSIONS = '/v1/checkout/sessions';
const url = text.regex(/^https?:\/\//, 'Not a valid URL');

const creation = {
  allow_promotion_codes: flag.optional(),
  allowed_payment_method_types: z.array(z.literal('card')).optional(),
  cancel_url: url.optional(),
  client_reference_id: text.max(200).optional(),
  currency: currency.optional(),
  customer: text.optional(),
  customer_creation: z.enum(['always', 'if_required']).optional(),
  customer_email: text.optional(),
  discounts: z
    .array(z.strictObject({ coupon: text.optional(), promotion_code: text.optional() }))
    .max(1)
    .optional(),
  expires_at: integer.optional(),
  line_items: z
    .array(z.strictObject({ price: text, quantity: integer.pipe(z.number().min(1)).optional() }))
    .min(1)
    .max(20)
    .optional(),
  locale: text.optional(),
  metadata: metadata.optional(),
  mode: z.enum(['subscription', 'setup', 'payment']).transform((mode) => {
    // Payment mode sells one-time prices, which the emulator does not support.
    if (mode === 'payment')
      throw invalidRequest(
        'Checkout Sessions in `payment` mode are not enabled on this account: use `subscription` or `setup`.',
        { param: 'mode' },
      );
    return mode;
  }),
  payment_method_collection: z.enum(['always', 'if_required']).optional(),
  setup_intent_data: z.strictObject({ description: text.optional(), metadata: metadata.optional() }).optional(),
  subscription_data: z
    .strictObject({
      description: text.optional(),
      metadata: metadata.optional(),
      trial_end: integer.optional(),
      trial_period_days: integer.pipe(z.number().min(1).max(730)).optional(),
      trial_settings: z
        .strictObject({
          end_behavior: z.strictObject({ missing_payment_method: z.enum(['cancel', 'pause', 'create_invoice']) }),
        })
        .optional(),
    })
    .optional(),
  success_url: url,
  ui_mode: z.literal('hosted_page').optional(),
};
export type NewSession = z.output<z.ZodObject<typeof creation>>;

/** Rejects parameters of the other mode and mutually exclusive ones. */
function checkTogetherness(input: NewSession): void {
  const pairs = [
    ['allow_promotion_codes', 'discounts'],
    ['customer', 'customer_email'],
  ] as const;
  for (const [one, other] of pairs) {
    if (input[one] !== undefined && input[other] !== undefined)
      throw invalidRequest(`You may only specify one of these parameters: ${one}, ${other}.`);
  }
  const otherMode =
    input.mode === 'setup'
      ? ([
          'line_items',
          'subscription_data',
          'discounts',
          'allow_promotion_codes',
          'payment_method_collection',
        ] as const)
      : (['setup_intent_data', 'customer_creation'] as const);
  const misplaced = otherMode.find((name) => input[name] !== undefined);
  if (misplaced)
    throw invalidRequest(`You can not pass \`${misplaced}\` in \`${input.mode}\` mode.`, { param: misplaced });
  const needed = input.mode === 'subscription' ? 'line_items' : 'currency';
  const value = input[needed] ?? (input.mode === 'setup' ? input.allowed_payment_method_types : undefined);
  if (!value) throw invalidRequest(`Missing required param: ${needed}.`, { code: 'parameter_missing', param: needed });
}

/**
 * Computes the amounts that are due immediately, from a preview of the
 * first invoice, which also rejects invalid prices and codes.
 */
function amountsOf(ledger: Ledger, input: NewSession): SessionAmounts {
  const items = input.line_items ?? [];
  const prices = items.map(({ price }, index) => checkPrice(ledger, price, `line_items[${index}][price]`));
  checkTogether(prices, { mixed: false });
  const { trial_end, trial_period_days } = input.subscription_data ?? {};
  const { invoice } = firstInvoice(ledger, {
    customer: input.customer,
    items,
    trial_end,
    trial_period_days,
    ...(input.discounts && { discounts: input.discounts }),
  });
  return {
    currency: invoice.currency,
    discounts: lineDiscounts(invoice),
    subtotal: invoice.subtotal as number,
    total: invoice.total,
  };
}

function expiryOf(ledger: Ledger, requested: number | undefined): number {
  const now = ledger.now();
  const expiresAt = requested ?? now + DAY;
  if (expiresAt >= now + HOUR / 2 && expiresAt <= now + DAY) return expiresAt;
  throw invalidRequest('The `expires_at` timestamp must be between 30 minutes and 24 hours from now.', {
    param: 'expires_at',
  });
}

export const checkoutSessions: Operation[] = [
  operation('POST', SESSIONS, creation, ({ input, ledger }) => {
    checkTogetherness(input);
    requireCharges(ledger);
    const customer = input.customer ? liveCustomer(ledger, input.customer, 'customer') : null;
    const expiresAt = expiryOf(ledger, input.expires_at);
    const amounts = input.mode === 'subscription' ? amountsOf(ledger, input) : null;
    const setup =
      input.mode === 'setup'
        ? newSetupIntent(ledger, {
            customer: customer?.id ?? null,
            description: input.setup_intent_data?.description ?? null,
            metadata: input.setup_intent_data?.metadata ?? {},
          })
        : null;
    const session = newSession(ledger, input, { amounts, customer, expiresAt, setupIntent: setup?.id ?? null });
    return present(ledger.put('checkout_session', session), ledger.data);
  }),
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
    present(ledger.find('checkout_session', path.id, 'id'), ledger.data),
  ),
  operation('GET', `${SESSIONS}/:id/line_items`, paging, ({ path, ledger }) =>
    lineItemsOf(ledger.find('checkout_session', path.id, 'id'), ledger.data),
  ),
  operation('POST', `${SESSIONS}/:id`, { metadata: metadata.optional() }, ({ input, path, ledger }) => {
    const session = ledger.find('checkout_session', path.id, 'id');
    session.metadata = mergeMetadata(session.metadata as Metadata, input.metadata);
    return present(session, ledger.data);
  }),
  operation('POST', `${SESSIONS}/:id/expire`, {}, ({ path, ledger }) => {
    const session = ledger.find('checkout_session', path.id, 'id');
    if (session.status !== 'open')
      throw invalidRequest('Only Checkout Sessions with a status in ["open"] can be expired.');
    expireCheckout(ledger, session);
    return present(session, ledger.data);
  }),
];
