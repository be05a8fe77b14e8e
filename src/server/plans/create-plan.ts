import type { CreatePlanInput } from '#contract/plan-changes.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { requestFingerprint } from '#server/core/duplicate-request.ts';
import { TRIAL_KEY } from '#server/integrations/index.ts';
import { retryReplayedFailure } from '#server/providers/stripe-errors.ts';
import { assertCurrency, changeCatalogue, currenciesOf, openCatalogue } from './catalogue.ts';

/**
 * Creates a product with one price. The same request again finishes or returns the same plan. The label is set by a
 * second call, because Stripe takes none with the product.
 */
export async function createPlan(ctx: Context, input: CreatePlanInput): Promise<{ price_id: string }> {
  requireStaff(ctx.actor, 'plans:write');
  const { catalogue } = await openCatalogue(ctx);
  const { name, description, nickname, trial_period_in_days: trial, unit_amount, currency, recurring } = input;
  assertCurrency(currency, await currenciesOf(ctx, await catalogue.prices()));
  const metadata: Record<string, string> = trial === null ? {} : { [TRIAL_KEY]: String(trial) };
  const plan = { name, description, unit_amount, currency, recurring, metadata };
  let priceId = '';
  await changeCatalogue(ctx, async () => {
    const key = `carelane-plan-${requestFingerprint(ctx, 'plans.create', input)}`;
    priceId = await retryReplayedFailure(key, (one) => catalogue.createPlan(plan, one));
    if (nickname !== null) await catalogue.updatePrice(priceId, { nickname });
    return { action: 'plans.create', type: 'Plan', id: priceId, name };
  });
  return { price_id: priceId };
}
