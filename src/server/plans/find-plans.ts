import type { PlanView } from '#contract/subscriptions.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { loadPlans } from './load-plans.ts';

/**
 * The plans of these price ids, in that order; 422 `price_not_offered` names the first that is not on offer. A price
 * that the last reading lacks may be new, so Stripe is asked again before it is refused.
 */
export async function findPlans(ctx: Context, accountId: string, priceIds: string[]): Promise<PlanView[]> {
  const pick = (plans: PlanView[]) => priceIds.map((id) => plans.find((plan) => plan.id === id));
  let found = pick(await loadPlans(ctx, accountId));
  if (found.includes(undefined)) found = pick(await loadPlans(ctx, accountId, { fresh: true }));
  const missing = found.indexOf(undefined);
  if (missing >= 0)
    throw refuse('price_not_offered', `The price "${priceIds[missing]!.slice(0, 100)}" is not on offer.`, {
      source: { pointer: `/price_ids/${missing}` },
    });
  return found as PlanView[];
}
