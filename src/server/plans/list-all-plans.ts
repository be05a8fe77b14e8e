import type { CatalogueView, PlanUsageView } from '#contract/plan-changes.ts';
import { ENDED_STATUSES } from '#contract/subscription-status.ts';
import type { GetPlanInput } from '#contract/subscriptions.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { currenciesOf, hasOneAmount, isOffered, openCatalogue, versionOf } from './catalogue.ts';
import { byPrice, presentPlan } from './plan.ts';

/** Lists the account's recurring prices from Stripe, archived ones too, cheapest first. */
export async function listAllPlans(ctx: Context): Promise<CatalogueView> {
  requireStaff(ctx.actor, 'subscriptions:read');
  const { catalogue } = await openCatalogue(ctx);
  const prices = await catalogue.prices();
  const counts = new Map<string, { all: number; active: number }>();
  for (const { active, product } of prices) {
    const count = counts.get(product.id) ?? { all: 0, active: 0 };
    counts.set(product.id, { all: count.all + 1, active: count.active + (active ? 1 : 0) });
  }
  const items = prices.map((price) => {
    const { all = 0, active = 0 } = counts.get(price.product.id) ?? {};
    return {
      ...presentPlan(price),
      offered: isOffered(price),
      version: versionOf(price),
      others: all - 1,
      revives: price.product.active ? 0 : active - (price.active ? 1 : 0),
      has_one_amount: hasOneAmount(price),
    };
  });
  return { items: items.sort(byPrice), currencies: await currenciesOf(ctx, prices.filter(isOffered)) };
}

/** Counts the live subscriptions that have a price and keep it when the plan is archived. */
export async function countSubscriptions(ctx: Context, { price_id }: GetPlanInput): Promise<PlanUsageView> {
  requireStaff(ctx.actor, 'subscriptions:read');
  const { accountId } = await openCatalogue(ctx);
  const { tenantId, db } = ctx;
  const live = { tenantId, accountId, status: { notIn: [...ENDED_STATUSES] } };
  return {
    live_subscriptions: await db.subscription.count({ where: { ...live, prices: { some: { priceId: price_id } } } }),
  };
}
