import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Coupon, Discount, PromotionCode, Subscription } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';
import { addIntervals } from './calendar.ts';

export interface DiscountableLine {
  amount: number;
  product: string;
  discountable: boolean;
}

export interface DiscountAmount {
  amount: number;
  discount: string;
}

/** Returns true when the discount applies to an invoice created at `now`. */
export function isLive(discount: Discount, coupon: Coupon, now: number): boolean {
  if (coupon.duration === 'once') return discount._used === 0;
  return discount.end === null || now < discount.end;
}

/** Computes what each discount takes off each line, in minor units; a line never goes below zero. */
export function discountLines(
  lines: DiscountableLine[],
  discounts: { discount: Discount; coupon: Coupon }[],
): DiscountAmount[][] {
  const open = lines.map((line) => ({ ...line, remaining: line.amount, amounts: [] as DiscountAmount[] }));
  for (const { discount, coupon } of discounts) {
    let budget = coupon.amount_off ?? Number.POSITIVE_INFINITY;
    for (const line of open) {
      if (!line.discountable || (coupon._products.length > 0 && !coupon._products.includes(line.product))) continue;
      const uncapped = coupon.percent_off === null ? budget : Math.round((line.remaining * coupon.percent_off) / 100);
      const amount = Math.max(0, Math.min(line.remaining, uncapped));
      if (amount === 0) continue;
      line.remaining -= amount;
      budget -= amount;
      line.amounts.push({ amount, discount: discount.id });
    }
  }
  return open.map(({ amounts }) => amounts);
}

export interface DiscountInput {
  coupon?: string;
  promotion_code?: string;
  discount?: string;
}

/** Returns true when the coupon can still be redeemed. */
export function isValidCoupon(coupon: Coupon, now: number): boolean {
  const used = coupon.max_redemptions !== null && coupon.times_redeemed >= coupon.max_redemptions;
  return !used && (coupon.redeem_by === null || now < coupon.redeem_by);
}

/** Returns true when the promotion code can still be redeemed. */
export function isActiveCode(ledger: Ledger, code: PromotionCode): boolean {
  const now = ledger.now();
  const coupon = ledger.data.objects.coupon[code.promotion.coupon];
  const used = code.max_redemptions !== null && code.times_redeemed >= code.max_redemptions;
  const expired = code.expires_at !== null && now >= code.expires_at;
  return code.active && !used && !expired && coupon !== undefined && isValidCoupon(coupon, now);
}

/**
 * Creates the discounts of a subscription and redeems their codes.
 * @param subtotal the full price in minor units
 * @throws ErrorReply when this customer cannot redeem a code
 */
export function applyDiscounts(
  ledger: Ledger,
  subscription: Subscription,
  inputs: DiscountInput[],
  subtotal: number,
): void {
  const redeemed = inputs.map((input, index) => redeem(ledger, subscription, input, subtotal, `discounts[${index}]`));
  subscription.discounts = redeemed.map(({ id }) => id);
}

function redeem(
  ledger: Ledger,
  subscription: Subscription,
  { coupon: couponId, promotion_code, discount }: DiscountInput,
  subtotal: number,
  param: string,
): Discount {
  if (discount) return ledger.find('discount', discount, `${param}[discount]`);
  const code = promotion_code ? ledger.find('promotion_code', promotion_code, `${param}[promotion_code]`) : undefined;
  if (code) checkCode(ledger, code, subscription, subtotal, `${param}[promotion_code]`);
  const coupon = ledger.find('coupon', code?.promotion.coupon ?? couponId ?? '', `${param}[coupon]`);
  const now = ledger.now(subscription.customer);
  if (!isValidCoupon(coupon, now)) {
    throw invalidRequest(`Coupon expired: ${coupon.id}`, { code: 'coupon_expired', param: `${param}[coupon]` });
  }
  if (coupon.currency !== null && coupon.currency !== subscription.currency) {
    throw invalidRequest('The coupon has another currency than the subscription.', { param: `${param}[coupon]` });
  }
  coupon.times_redeemed++;
  if (code) code.times_redeemed++;
  return ledger.put('discount', {
    id: newId('di'),
    object: 'discount',
    created: now,
    checkout_session: null,
    customer: subscription.customer,
    customer_account: null,
    end: coupon.duration === 'repeating' ? addIntervals(now, 'month', coupon.duration_in_months ?? 1) : null,
    invoice: null,
    invoice_item: null,
    promotion_code: code?.id ?? null,
    source: { type: 'coupon', coupon: coupon.id },
    start: now,
    subscription: subscription.id,
    subscription_item: null,
    _used: 0,
  });
}

function checkCode(
  ledger: Ledger,
  code: PromotionCode,
  { currency, customer }: Subscription,
  subtotal: number,
  param: string,
): void {
  const reject = (message: string) => {
    throw invalidRequest(message, { param });
  };
  if (!isActiveCode(ledger, code)) {
    throw invalidRequest(`This promotion code cannot be redeemed because it is not active.`, {
      code: 'promotion_code_expired',
      param,
    });
  }
  if (code.customer !== null && code.customer !== customer) {
    reject('This promotion code cannot be redeemed because it belongs to another customer.');
  }
  const { minimum_amount, minimum_amount_currency } = code.restrictions;
  if (minimum_amount !== null && (minimum_amount_currency ?? currency) !== currency) {
    reject('This promotion code cannot be redeemed because its minimum amount is in another currency.');
  }
  if (minimum_amount !== null && subtotal < minimum_amount) {
    reject('This promotion code cannot be redeemed because the minimum amount is not reached.');
  }
  const paidBefore = ledger.all('invoice').some((invoice) => invoice.customer === customer && invoice.amount_paid > 0);
  if (code.restrictions.first_time_transaction && paidBefore) {
    throw invalidRequest(
      'This promotion code cannot be redeemed because the associated customer has prior transactions.',
      { code: 'customer_has_prior_transactions', param },
    );
  }
}
