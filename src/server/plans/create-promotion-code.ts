import { formatMoney } from '#contract/minor-units.ts';
import type { CreatePromotionCodeInput, ListedCodeView } from '#contract/promotion-code-changes.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { requestFingerprint } from '#server/core/duplicate-request.ts';
import { invalidParameter } from '#server/core/errors.ts';
import { addDays, fromMinute, localDay, startOfDay, toMinute } from '#server/core/zone.ts';
import { retryReplayedFailure, StripeRejection } from '#server/providers/stripe-errors.ts';
import { assertCurrency, changeCatalogue, currenciesOf, openCatalogue } from './catalogue.ts';
import { clinicZone, findActiveCode, presentCode } from './list-promotion-codes.ts';
import { loadPlans } from './plan.ts';

/** Stripe's longest validity of a promotion code. */
const MAX_YEARS = 5;

/**
 * Creates a coupon and its only promotion code. The same request again finishes or returns the same code; with another
 * text, as after an error, it uses the same coupon.
 */
export async function createPromotionCode(ctx: Context, input: CreatePromotionCodeInput): Promise<ListedCodeView> {
  requireStaff(ctx.actor, 'plans:write');
  const account = await openCatalogue(ctx);
  const { catalogue } = account;
  const { discount, duration, products, request_id } = input;
  const plans = await loadPlans(ctx, account.accountId);
  if (discount.kind === 'amount') assertCurrency(discount.currency, await currenciesOf(ctx, plans));
  const onOffer = new Set(plans.map(({ product }) => product));
  if (!products.every((id) => onOffer.has(id)))
    throw invalidParameter('products', 'One of these plans is not offered any more. Choose others.');
  const zone = await clinicZone(ctx);
  const expiresAt = endOf(input.last_day, localDay(toMinute(ctx.clock.now()), zone), zone);
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
  await changeCatalogue(ctx, async (done) => {
    const { id } = await retryReplayedFailure(`carelane-coupon-${key({ request_id, ...coupon })}`, (one) =>
      catalogue.createCoupon(coupon, one),
    );
    const { code, max_redemptions: maxRedemptions, first_time_only: firstTimeOnly } = input;
    const wish = { code, coupon: id, expiresAt, maxRedemptions, firstTimeOnly };
    const made = await retryReplayedFailure(`carelane-code-${key(input)}`, (one) =>
      catalogue.createPromotionCode(wish, one),
    ).catch(async (error: unknown) => {
      // Stripe names neither a reason nor a parameter for a text that is taken.
      if (code === null || !(error instanceof StripeRejection) || !(await findActiveCode(account, code))) throw error;
      throw invalidParameter('code', 'There is a valid promotion code with this text already. Choose another.');
    });
    view = presentCode(made, zone, ctx.clock.now());
    done({ action: 'plans.create_promotion_code', type: 'PromotionCode', id: made.id, name: made.code, isOnce: true });
  });
  if (!view) throw new Error('a created promotion code is shown');
  return view;
}

/** @throws `invalid_parameter` for a day that is over, or later than Stripe takes */
function endOf(lastDay: string | null, today: string, zone: string): Date | null {
  if (lastDay === null) return null;
  if (lastDay < today) throw invalidParameter('last_day', 'Choose today or a later day.');
  if (lastDay > yearsLater(today)) throw invalidParameter('last_day', `Choose a day within ${MAX_YEARS} years.`);
  return fromMinute(startOfDay(addDays(lastDay, 1), zone));
}

/** A day less than that, because Stripe compares moments. */
const yearsLater = (today: string): string =>
  addDays(`${Number(today.slice(0, 4)) + MAX_YEARS}-${today.slice(5, 7)}-01`, Number(today.slice(8)) - 2);

/** What patients read on their bills. */
const discountName = (discount: CreatePromotionCodeInput['discount']): string =>
  discount.kind === 'percent'
    ? `${discount.percent_off}% off`
    : `${formatMoney(discount.amount_off, discount.currency)} off`;
