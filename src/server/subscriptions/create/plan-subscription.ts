import type { CreateSubscriptionInput, PlanView } from '#contract/subscriptions.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { findPlans } from '#server/plans/find-plans.ts';
import { type PromotionCode, stripeOf } from '#server/providers/stripe.ts';
import { checkDistinct, checkTogether } from '../records/subscription.ts';
import type { IntentPlan } from './intent.ts';

/** Checks the wish against what is on offer (api.md §7) and says how to carry it out. */
export async function planSubscription(
  ctx: Context,
  accountId: string,
  input: CreateSubscriptionInput,
): Promise<IntentPlan> {
  checkDistinct(input.price_ids);
  const plans = await findPlans(ctx, accountId, input.price_ids);
  checkTogether(plans);
  const trials = plans.map((plan) => plan.trial_period_in_days ?? 0);
  const trialDays = Math.max(...trials) || null;
  const promotionCodeId = input.promotion_code
    ? await findPromotion(ctx, accountId, input.promotion_code, plans)
    : null;
  return {
    wish: wishOf(input),
    trialDays,
    promotionCodeId,
    cancelAfter: input.cancel_at_period_end ? (trialDays === null ? 'period' : 'trial') : 'never',
    createdByClientId: creatorOf(ctx),
  };
}

const wishOf = (input: CreateSubscriptionInput): IntentPlan['wish'] => ({
  patientId: input.patient_id,
  priceIds: input.price_ids,
  cancelAtPeriodEnd: input.cancel_at_period_end ?? false,
  promotionCode: input.promotion_code ?? null,
});

/** The application behind the call, which may read the client secrets later. */
function creatorOf({ actor }: Context): string | null {
  if (actor.kind === 'application') return actor.clientId;
  return actor.kind === 'patient' ? actor.impersonatedBy : null;
}

/**
 * The processor's id of a promotion code in any case. Unknown or inactive → 422 `promotion_code_invalid`; one that does
 * not go with these plans is null: no discount and no error (api.md §7).
 */
async function findPromotion(ctx: Context, accountId: string, code: string, plans: PlanView[]): Promise<string | null> {
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
