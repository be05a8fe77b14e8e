import type { PlanView } from '#contract/subscriptions.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { trialDays } from '#server/integrations/trial-days.ts';
import { type Price, stripeOf } from '#server/providers/stripe.ts';

const TTL = 1 * MINUTE;
const KIND = 'plans';

type Snapshot = { accountId: string; plans: PlanView[] };

/**
 * Returns the account's plans, ordered by price, then id; cached for a minute to save calls to Stripe. `fresh` skips
 * the cache. When Stripe fails, an expired cache is not used: it may hold old prices.
 */
export async function loadPlans(
  ctx: Context,
  accountId: string,
  options: { fresh?: boolean } = {},
): Promise<PlanView[]> {
  const id = { tenantId: ctx.tenantId, provider: 'stripe', kind: KIND };
  const now = ctx.clock.now();
  if (!options.fresh) {
    const row = await ctx.db.providerSnapshot.findFirst({ where: id });
    const cached = row?.data as Snapshot | undefined;
    if (row && cached?.accountId === accountId && now.getTime() - row.fetchedAt.getTime() < TTL) return cached.plans;
  }
  const prices = await stripeOf(ctx).listPrices(accountId);
  const plans = prices.filter(({ product, recurring }) => product.active && recurring).map(presentPlan);
  plans.sort(byPrice);
  const written = { data: { accountId, plans } satisfies Snapshot, fetchedAt: now };
  await ctx.db.providerSnapshot.upsert({
    where: { tenantId_provider_kind: id },
    create: { ...id, ...written },
    update: written,
  });
  return plans;
}

function byPrice(a: PlanView, b: PlanView): number {
  const difference = (a.unit_amount ?? Number.MAX_SAFE_INTEGER) - (b.unit_amount ?? Number.MAX_SAFE_INTEGER);
  return difference || (a.id < b.id ? -1 : 1);
}

export const presentPlan = (price: Price): PlanView => ({
  id: price.id,
  price_id: price.id,
  active: price.active,
  nickname: price.nickname ?? null,
  name: price.product.name,
  description: price.product.description ?? null,
  images: price.product.images,
  product: price.product.id,
  currency: price.currency,
  unit_amount: price.unit_amount ?? null,
  unit_amount_decimal: price.unit_amount_decimal,
  type: price.type,
  recurring: price.recurring ?? null,
  trial_period_in_days: trialDays(price.metadata).days,
  metadata: price.metadata,
});

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
  const missingId = priceIds[missing];
  if (missingId !== undefined)
    throw apiError('price_not_offered', `The price "${missingId.slice(0, 100)}" is not on offer.`, {
      source: at(missing),
    });
  return found as PlanView[];
}
