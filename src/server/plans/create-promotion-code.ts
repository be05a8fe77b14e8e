import { formatMoney } from '#contract/minor-units.ts';
import type { CreatePromotionCodeInput, ListedCodeView } from '#contract/promotion-code-changes.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { requestFingerprint } from '#server/core/duplicate-request.ts';
import { invalidParameter } from '#server/core/errors.ts';
import { addDays, fromMinute, startOfDay } from '#server/core/zone.ts';
import { retryReplayedFailure } from '#server/providers/stripe-errors.ts';
import { assertCurrency, changeCatalogue, currenciesOf, isOffered, openCatalogue } from './catalogue.ts';
import { clinicZone, presentCode } from './list-promotion-codes.ts';

/**
 * Creates a coupon and its only promotion code. The same request again finishes or returns the same code; with another
 * text, as after an error, it uses the same coupon.
 */
export async function createPromotionCode(ctx: Context, input: CreatePromotionCodeInput): Promise<ListedCodeView> {
  requireStaff(ctx.actor, 'plans:write');
  const { catalogue } = await openCatalogue(ctx);
  const { discount, duration, products, request_id } = input;
  const prices = await catalogue.prices();
  if (discount.kind === 'amount') assertCurrency(discount.currency, await currenciesOf(ctx, prices));
  const onOffer = new Set(prices.filter(isOffered).map(({ product }) => product.id));
  if (!products.every((id) => onOffer.has(id)))
    throw invalidParameter('products', 'One of these plans is not offered any more. Choose others.');
  const zone = await clinicZone(ctx);
  const expiresAt = input.last_day === null ? null : fromMinute(startOfDay(addDays(input.last_day, 1), zone));
  if (expiresAt && expiresAt <= ctx.clock.now()) throw invalidParameter('last_day', 'Choose today or a later day.');
  const coupon = {
    name: discountName(discount),
    ...(discount.kind === 'percent'
      ? { percent_off: discount.percent_off }
      : { amount_off: discount.amount_off, currency: discount.currency }),
    duration: duration.kind,
    ...(duration.kind === 'repeating' && { duration_in_months: duration.months }),
    ...(products.length > 0 && { applies_to: { products } }),
  };
  const key = (part: object) => requestFingerprint(ctx, 'plans.create_promotion_code', part);
  let view: ListedCodeView | null = null;
  await changeCatalogue(ctx, async () => {
    const { id } = await retryReplayedFailure(`carelane-coupon-${key({ request_id, ...coupon })}`, (one) =>
      catalogue.createCoupon(coupon, one),
    );
    const { code, max_redemptions: maxRedemptions, first_time_only: firstTimeOnly } = input;
    const wish = { code, coupon: id, expiresAt, maxRedemptions, firstTimeOnly };
    const made = await retryReplayedFailure(`carelane-code-${key(input)}`, (one) =>
      catalogue.createPromotionCode(wish, one),
    );
    view = presentCode(made, zone, ctx.clock.now());
    return { action: 'plans.create_promotion_code', type: 'PromotionCode', id: made.id, name: made.code };
  });
  if (!view) throw new Error('a created promotion code is shown');
  return view;
}

/** What patients read on their bills. */
const discountName = (discount: CreatePromotionCodeInput['discount']): string =>
  discount.kind === 'percent'
    ? `${discount.percent_off}% off`
    : `${formatMoney(discount.amount_off, discount.currency)} off`;
