import type { PlanView } from '#contract/subscriptions.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { loadPlans } from './load-plans.ts';

/** Where the caller named the n-th price. */
export type PricesAt = (index: number) => { pointer: string } | { parameter: string };
export const inBody: PricesAt = (index) => ({ pointer: `/price_ids/${index}` });
export const inQuery: PricesAt = () => ({ parameter: 'price_ids' });

/**
 * The plans of these price ids, in that order; 422 `price_not_offered` names the first that is not on offer. A price
 * that the last reading lacks may be new, so Stripe is asked again before it is refused.
 */
export async function findPlans(
  ctx: Context,
  accountId: string,
  priceIds: string[],
  at: PricesAt = inBody,
): Promise<PlanView[]> {
  const pick = (plans: PlanView[]) => priceIds.map((id) => plans.find((plan) => plan.id === id));
  let found = pick(await loadPlans(ctx, accountId));
  if (found.includes(undefined)) found = pick(await loadPlans(ctx, accountId, { fresh: true }));
  const missing = found.indexOf(undefined);
  if (missing >= 0)
    throw refuse('price_not_offered', `The price "${priceIds[missing]!.slice(0, 100)}" is not on offer.`, {
      source: at(missing),
    });
  return found as PlanView[];
}
