import type { PlanView } from '#contract/subscriptions.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { stripeOf } from '#server/providers/stripe.ts';
import { presentPlan } from './present-plan.ts';

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
    const kept = row?.data as Snapshot | undefined;
    if (row && kept?.accountId === accountId && now.getTime() - row.fetchedAt.getTime() < TTL) return kept.plans;
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
