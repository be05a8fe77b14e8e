import type { UpdatePlanInput } from '#contract/plan-changes.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { invalidParameter } from '#server/core/errors.ts';
import { TRIAL_KEY, trialDays } from '#server/integrations/index.ts';
import { assertUnchanged, changeCatalogue, openCatalogue, readPlan } from './catalogue.ts';

/**
 * Changes a plan's name and description, which are its product's, its label and its trial. Running subscriptions keep
 * their trial.
 * @throws `conflict` when the plan is not as the caller has read it
 */
export async function updatePlan(ctx: Context, input: UpdatePlanInput): Promise<void> {
  requireStaff(ctx.actor, 'plans:write');
  const catalogue = await openCatalogue(ctx);
  const price = await readPlan(catalogue, input.price_id);
  assertUnchanged(price, input);
  const { name, description, nickname, trial_period_in_days: trial } = input;
  if (nickname === null && price.nickname)
    throw invalidParameter('nickname', 'Stripe lets a label be changed, not removed.');
  const ofProduct = {
    ...(name !== price.product.name && { name }),
    ...(description !== (price.product.description ?? null) && { description: description ?? '' }),
  };
  const ofPrice = {
    ...(nickname !== null && nickname !== price.nickname && { nickname }),
    ...(trial !== trialDays(price.metadata).days && { metadata: { [TRIAL_KEY]: trial === null ? '' : String(trial) } }),
  };
  const changed = [
    ...Object.keys(ofProduct),
    ...Object.keys(ofPrice).map((key) => (key === 'metadata' ? TRIAL_KEY : key)),
  ];
  if (changed.length === 0) return;
  await changeCatalogue(ctx, async () => {
    if (Object.keys(ofProduct).length > 0) await catalogue.catalogue.updateProduct(price.product.id, ofProduct);
    if (Object.keys(ofPrice).length > 0) await catalogue.catalogue.updatePrice(price.id, ofPrice);
    return { action: 'plans.update', type: 'Plan', id: price.id, name, details: { changed } };
  });
}
