import { z } from 'zod';
import { isActiveCode, isValidCoupon } from '../billing/discounts.ts';
import { newId, randomText } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Coupon, PromotionCode } from '../objects.ts';
import { stored } from '../state.ts';
import { invalidRequest } from '../wire/errors.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { currency, decimal, flag, integer, mergeMetadata, metadata, paging, range, text } from '../wire/params.ts';

const MAX_VALIDITY_S = 5 * 365 * 86_400;

import { present, type Wire } from '../wire/present.ts';

function showCoupon(ledger: Ledger, coupon: Coupon): Wire {
  return { ...present(coupon, ledger.data), valid: isValidCoupon(coupon, ledger.now()) };
}

/** Renders a code; `active` is false once the code is used up or expired. */
function showCode(ledger: Ledger, code: PromotionCode): Wire {
  return { ...present(code, ledger.data), active: isActiveCode(ledger, code) };
}

export const coupons: Operation[] = [
  operation(
    'POST',
    '/v1/coupons',
    {
      id: text.optional(),
      amount_off: integer.pipe(z.number().min(1)).optional(),
      applies_to: z.strictObject({ products: z.array(text).min(1) }).optional(),
      currency: currency.optional(),
      duration: z.enum(['once', 'repeating', 'forever']).default('once'),
      duration_in_months: integer.pipe(z.number().min(1)).optional(),
      max_redemptions: integer.pipe(z.number().min(1)).optional(),
      metadata: metadata.optional(),
      name: text.max(40).optional(),
      percent_off: decimal.pipe(z.number().gt(0).max(100)).optional(),
      redeem_by: integer.optional(),
    },
    ({ input, ledger }) => {
      if ((input.amount_off === undefined) === (input.percent_off === undefined)) {
        throw invalidRequest('You must pass either percent_off or amount_off.');
      }
      if (input.amount_off !== undefined && !input.currency) {
        throw invalidRequest('You must pass currency when passing amount_off.', {
          code: 'parameter_missing',
          param: 'currency',
        });
      }
      if ((input.duration === 'repeating') !== (input.duration_in_months !== undefined)) {
        throw invalidRequest('duration_in_months is for duration=repeating, and needed there.', {
          param: 'duration_in_months',
        });
      }
      const id = input.id ?? randomText(8);
      if (Object.hasOwn(ledger.data.objects.coupon, id)) {
        throw invalidRequest('Coupon already exists.', { code: 'resource_already_exists', param: 'id' });
      }
      const coupon = ledger.put('coupon', {
        id,
        object: 'coupon',
        amount_off: input.amount_off ?? null,
        created: ledger.now(),
        currency: input.currency ?? null,
        duration: input.duration,
        duration_in_months: input.duration_in_months ?? null,
        livemode: false,
        max_redemptions: input.max_redemptions ?? null,
        metadata: input.metadata ?? {},
        name: input.name ?? null,
        percent_off: input.percent_off ?? null,
        redeem_by: input.redeem_by ?? null,
        times_redeemed: 0,
        valid: true,
        _products: input.applies_to?.products ?? [],
      });
      ledger.emit('coupon.created', coupon);
      return showCoupon(ledger, coupon);
    },
  ),
  operation('GET', '/v1/coupons', { ...paging, created: range.optional() }, ({ input, ledger }) => {
    const page = listPage(ledger, 'coupon', '/v1/coupons', input, ({ created }) => within(created, input.created));
    return {
      ...page,
      data: (page.data as Coupon[]).map(({ id }) => showCoupon(ledger, stored(ledger.data, 'coupon', id))),
    };
  }),
  operation('GET', '/v1/coupons/:id', {}, ({ path, ledger }) =>
    showCoupon(ledger, ledger.find('coupon', path.id, 'id')),
  ),
  operation('DELETE', '/v1/coupons/:id', {}, ({ path, ledger }) => {
    const coupon = ledger.find('coupon', path.id, 'id');
    // Existing discounts of the coupon remain, so it only stops being redeemable.
    coupon.max_redemptions = coupon.times_redeemed;
    ledger.emit('coupon.deleted', coupon);
    return { id: coupon.id, object: 'coupon', deleted: true };
  }),
];

const restrictions = z.strictObject({
  first_time_transaction: flag.optional(),
  minimum_amount: integer.optional(),
  minimum_amount_currency: currency.optional(),
});

export const promotionCodes: Operation[] = [
  operation(
    'POST',
    '/v1/promotion_codes',
    {
      active: flag.optional(),
      code: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,500}$/)
        .optional(),
      customer: text.optional(),
      expires_at: integer.optional(),
      max_redemptions: integer.pipe(z.number().min(1)).optional(),
      metadata: metadata.optional(),
      promotion: z.strictObject({ type: z.literal('coupon'), coupon: text }),
      restrictions: restrictions.optional(),
    },
    ({ input, ledger }) => {
      ledger.find('coupon', input.promotion.coupon, 'promotion[coupon]');
      if (input.customer) ledger.find('customer', input.customer, 'customer');
      const code = input.code ?? randomText(8).toUpperCase();
      checkFree(ledger, code);
      if (input.expires_at !== undefined && input.expires_at <= ledger.now())
        throw invalidRequest('The expiration timestamp must be in the future.', { param: 'expires_at' });
      if (input.expires_at !== undefined && input.expires_at > ledger.now() + MAX_VALIDITY_S)
        throw invalidRequest('The expiration timestamp must be less than five years away.', { param: 'expires_at' });
      const promotionCode = ledger.put('promotion_code', {
        id: newId('promo'),
        object: 'promotion_code',
        active: input.active ?? true,
        code,
        created: ledger.now(),
        customer: input.customer ?? null,
        customer_account: null,
        expires_at: input.expires_at ?? null,
        livemode: false,
        max_redemptions: input.max_redemptions ?? null,
        metadata: input.metadata ?? {},
        promotion: input.promotion,
        restrictions: {
          first_time_transaction: input.restrictions?.first_time_transaction ?? false,
          minimum_amount: input.restrictions?.minimum_amount ?? null,
          minimum_amount_currency: input.restrictions?.minimum_amount_currency ?? null,
        },
        times_redeemed: 0,
      });
      ledger.emit('promotion_code.created', promotionCode);
      return showCode(ledger, promotionCode);
    },
  ),
  operation(
    'GET',
    '/v1/promotion_codes',
    {
      ...paging,
      active: flag.optional(),
      code: text.optional(),
      coupon: text.optional(),
      created: range.optional(),
      customer: text.optional(),
    },
    ({ input, ledger }) => {
      const page = listPage(
        ledger,
        'promotion_code',
        '/v1/promotion_codes',
        input,
        (one) =>
          (input.active === undefined || isActiveCode(ledger, one) === input.active) &&
          (input.code === undefined || sameCode(one.code, input.code)) &&
          (input.coupon === undefined || one.promotion.coupon === input.coupon) &&
          (input.customer === undefined || one.customer === input.customer) &&
          within(one.created, input.created),
      );
      const codes = (page.data as PromotionCode[]).map(({ id }) => stored(ledger.data, 'promotion_code', id));
      return { ...page, data: codes.map((code) => showCode(ledger, code)) };
    },
  ),
  operation('GET', '/v1/promotion_codes/:id', {}, ({ path, ledger }) =>
    showCode(ledger, ledger.find('promotion_code', path.id, 'id')),
  ),
  operation(
    'POST',
    '/v1/promotion_codes/:id',
    { active: flag.optional(), metadata: metadata.optional() },
    ({ input, path, ledger }) => {
      const code = ledger.find('promotion_code', path.id, 'id');
      if (input.active && !code.active) {
        if (!isActiveCode(ledger, { ...code, active: true }))
          throw invalidRequest('This promotion code cannot be reactivated because it is not redeemable.');
        checkFree(ledger, code.code);
      }
      ledger.change('promotion_code.updated', code, () => {
        code.active = input.active ?? code.active;
        code.metadata = mergeMetadata(code.metadata, input.metadata);
      });
      return showCode(ledger, code);
    },
  ),
];

/** Rejects a code that an active one has already. */
function checkFree(ledger: Ledger, code: string): void {
  const isTaken = ledger
    .all('promotion_code')
    .some((other) => sameCode(other.code, code) && isActiveCode(ledger, other));
  if (isTaken) {
    // As Stripe: without code and parameter.
    throw invalidRequest(`An active promotion code with \`code: ${code}\` already exists.`);
  }
}

/** Compares codes ignoring case. */
function sameCode(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
