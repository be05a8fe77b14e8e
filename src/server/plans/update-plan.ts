import type { UpdatePlanInput } from '#contract/plan-changes.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { TRIAL_KEY } from '#server/integrations/index.ts';
import { changeCatalogue, changesSince, openCatalogue, planChanged, readPlan } from './catalogue.ts';

/**
 * Changes a plan's name and description, which are its product's, its label and its trial. Running subscriptions keep
 * their trial. The same request again finishes the change.
 * @throws `conflict` when the plan is not as the caller has read it
 */
export async function updatePlan(ctx: Context, input: UpdatePlanInput): Promise<void> {
  requireStaff(ctx.actor, 'plans:write');
  const catalogue = await openCatalogue(ctx);
  const price = await readPlan(catalogue, input.price_id);
  const { name, description, nickname, trial_period_in_days: trial } = input;
  const ofProduct = {
    ...(name !== price.product.name && { name }),
    ...(description !== (price.product.description ?? null) && { description: description ?? '' }),
  };
  const trialText = trial === null ? '' : String(trial);
  const ofPrice = {
    ...(nickname !== (price.nickname || null) && { nickname: nickname ?? '' }),
    ...(trialText !== (price.metadata[TRIAL_KEY] ?? '') && { metadata: { [TRIAL_KEY]: trialText } }),
  };
  const [productFields, priceFields] = [Object.keys(ofProduct), Object.keys(ofPrice)];
  const since = changesSince(price, input.version);
  if ((since.product && productFields.length > 0) || (since.price && priceFields.length > 0)) throw planChanged();
  // What an earlier try of this request has changed may not be recorded yet.
  const changed = since.product ? ['name', 'description'] : [];
  const alsoOfPrice = since.price ? ['nickname', TRIAL_KEY] : [];
  if (productFields.length + priceFields.length + changed.length + alsoOfPrice.length === 0) return;
  await changeCatalogue(ctx, async (done) => {
    const add = (fields: string[]) => {
      changed.push(...fields);
      if (changed.length > 0) done({ action: 'plans.update', type: 'Plan', id: price.id, name, details: { changed } });
    };
    if (productFields.length > 0) await catalogue.catalogue.updateProduct(price.product.id, ofProduct);
    add(productFields);
    if (priceFields.length > 0) await catalogue.catalogue.updatePrice(price.id, ofPrice);
    add([...alsoOfPrice, ...priceFields.map((key) => (key === 'metadata' ? TRIAL_KEY : key))]);
  });
}
