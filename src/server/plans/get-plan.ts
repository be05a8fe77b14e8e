import type { GetPlanInput, PlanView } from '#contract/subscriptions.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { getStripeAccount } from '#server/integrations/stripe-account.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import { presentPlan } from './plan.ts';

/**
 * Returns a plan from Stripe by its price, also an archived one, which lists leave out but subscriptions may still
 * have.
 */
export async function getPlan(ctx: Context, { price_id }: GetPlanInput): Promise<PlanView> {
  requireStaff(ctx.actor);
  const accountId = await getStripeAccount(ctx);
  try {
    return presentPlan(await ctx.providers.stripeClient(ctx).getPrice(accountId, price_id));
  } catch (error) {
    throw error instanceof StripeRejection && error.reason === 'resource_missing' ? notFound('plan') : error;
  }
}
