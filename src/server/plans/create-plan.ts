import type { CreatePlanInput } from '#contract/plan-changes.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { requestFingerprint } from '#server/core/duplicate-request.ts';
import { TRIAL_KEY } from '#server/integrations/index.ts';
import { retryReplayedFailure } from '#server/providers/stripe-errors.ts';
import { assertCurrency, changeCatalogue, currenciesOf, openCatalogue } from './catalogue.ts';
import { loadPlans } from './plan.ts';

/**
 * Creates a product, then its price, which makes it a plan. The same request again finishes or returns the same plan; one
 * with a corrected price, as after an error, uses the same product.
 */
export async function createPlan(ctx: Context, input: CreatePlanInput): Promise<{ price_id: string }> {
  requireStaff(ctx.actor, 'plans:write');
  const { accountId, catalogue } = await openCatalogue(ctx);
  const { request_id, name, description, nickname, trial_period_in_days: trial } = input;
  const { unit_amount, currency, recurring } = input;
  assertCurrency(currency, await currenciesOf(ctx, await loadPlans(ctx, accountId)));
  const keyOf = (part: object) => requestFingerprint(ctx, 'plans.create', part);
  let priceId = '';
  await changeCatalogue(ctx, async (done) => {
    const productKey = `carelane-product-${keyOf({ request_id, name, description })}`;
    const product = await retryReplayedFailure(productKey, (one) =>
      catalogue.createProduct({ name, description }, one),
    );
    const metadata: Record<string, string> = trial === null ? {} : { [TRIAL_KEY]: String(trial) };
    const terms = { unit_amount, currency, recurring, tax_behavior: null, lookup_key: null };
    const price = await retryReplayedFailure(`carelane-plan-${keyOf(input)}`, (one) =>
      catalogue.createPrice({ ...terms, product: product.id, nickname, metadata }, one),
    );
    priceId = price.id;
    done({ action: 'plans.create', type: 'Plan', id: priceId, name, isOnce: true });
  });
  return { price_id: priceId };
}
