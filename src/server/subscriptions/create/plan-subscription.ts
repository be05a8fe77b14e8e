import type { CreateSubscriptionInput, PlanView } from '#contract/subscriptions.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { findPlans } from '#server/plans/find-plans.ts';
import { appliesTo, findPromotion } from '#server/plans/promotion-code.ts';
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
  const promotionCodeId = input.promotion_code ? await promotionFor(ctx, accountId, input.promotion_code, plans) : null;
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

/** What the code is at Stripe; one that does not go with these plans is null: no discount and no error (api.md §7). */
async function promotionFor(ctx: Context, accountId: string, code: string, plans: PlanView[]): Promise<string | null> {
  const found = await findPromotion(ctx, accountId, code);
  if (!found?.active) throw promotionInvalid();
  return appliesTo(found, plans) ? found.id : null;
}

export const promotionInvalid = () =>
  refuse('promotion_code_invalid', 'This promotion code is unknown or no longer valid.', {
    source: { pointer: '/promotion_code' },
  });
