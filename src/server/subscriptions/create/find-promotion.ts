import type { PlanView } from '#contract/subscriptions.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { type PromotionCode, stripeOf } from '#server/providers/stripe.ts';

/**
 * The processor's id of a promotion code in any case. Unknown or inactive → 422 `promotion_code_invalid`; one that does
 * not go with these plans is null: no discount and no error (api.md §7).
 */
export async function findPromotion(
  ctx: Context,
  accountId: string,
  code: string,
  plans: PlanView[],
): Promise<string | null> {
  const found = await stripeOf(ctx).findPromotionCode(accountId, code);
  if (!found) throw promotionInvalid();
  return applies(found, plans) ? found.id : null;
}

export const promotionInvalid = () =>
  refuse('promotion_code_invalid', 'This promotion code is unknown or no longer valid.', {
    source: { pointer: '/promotion_code' },
  });

function applies({ promotion: { coupon }, restrictions }: PromotionCode, plans: PlanView[]): boolean {
  const { currency } = plans[0]!;
  const products = coupon.applies_to?.products;
  if (products?.length && !plans.some((plan) => products.includes(plan.product))) return false;
  if (coupon.currency && coupon.currency !== currency) return false;
  const minimum = restrictions?.minimum_amount ?? 0;
  if (minimum > 0 && restrictions?.minimum_amount_currency !== currency) return false;
  return plans.reduce((sum, plan) => sum + (plan.unit_amount ?? 0), 0) >= minimum;
}
