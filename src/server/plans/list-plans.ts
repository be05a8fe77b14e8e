import type { Page } from '#contract/conventions.ts';
import type { ListPlansInput, PlanView } from '#contract/subscriptions.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { wholeOrPage } from '#server/core/paging.ts';
import { getStripeAccount } from '#server/integrations/stripe-account.ts';
import { loadPlans } from './plan.ts';

/** Lists the connected account's active recurring prices, cheapest first. */
export async function listPlans(ctx: Context, input: ListPlansInput): Promise<Page<PlanView>> {
  requireScope(ctx.actor, 'subscriptions:read');
  return wholeOrPage(await loadPlans(ctx, await getStripeAccount(ctx)), input);
}
