import type { PlanView } from '#contract/subscriptions.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { loadPlans } from './load-plans.ts';

/** The source of the n-th price in the caller's request. */
export type PricesAt = (index: number) => { pointer: string } | { parameter: string };
export const inBody: PricesAt = (index) => ({ pointer: `/price_ids/${index}` });
export const inQuery: PricesAt = () => ({ parameter: 'price_ids' });

/**
 * Returns the plans of these price ids, in order. A price that is missing in the cached list may be new, so the list is
 * read again before it is rejected.
 * @throws `price_not_offered` (422) with the first missing price
 */
export async function getOfferedPlans(
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
    throw apiError('price_not_offered', `The price "${priceIds[missing]!.slice(0, 100)}" is not on offer.`, {
      source: at(missing),
    });
  return found as PlanView[];
}
