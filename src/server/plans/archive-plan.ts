import type { ArchivePlanInput } from '#contract/plan-changes.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { type Catalogue, changeCatalogue, openCatalogue, readPlan } from './catalogue.ts';

/**
 * Stops offering a plan; live subscriptions keep it. Its product stays active, also without another price, so that it
 * can be offered again. An archived plan stays as it is; the request is recorded, as it may repeat one that was not.
 */
export async function archivePlan(ctx: Context, { price_id }: ArchivePlanInput): Promise<void> {
  requireStaff(ctx.actor, 'plans:write');
  const catalogue = await openCatalogue(ctx);
  const price = await readPlan(catalogue, price_id);
  await changeCatalogue(ctx, async (done) => {
    if (price.active) await retirePrice(catalogue, price);
    done({ action: 'plans.archive', type: 'Plan', id: price.id, name: price.product.name });
  });
}

/** Offers an archived plan again, with its product where that was archived too. */
export async function unarchivePlan(ctx: Context, { price_id }: ArchivePlanInput): Promise<void> {
  requireStaff(ctx.actor, 'plans:write');
  const catalogue = await openCatalogue(ctx);
  const price = await readPlan(catalogue, price_id);
  await changeCatalogue(ctx, async (done) => {
    if (!price.product.active) await catalogue.catalogue.updateProduct(price.product.id, { active: true });
    if (!price.active) await catalogue.catalogue.updatePrice(price.id, { active: true });
    done({ action: 'plans.unarchive', type: 'Plan', id: price.id, name: price.product.name });
  });
}

type Retired = { id: string; product: { id: string; default_price?: string | null | undefined } };

/** Archives a price. Stripe refuses to archive a product's default price, so another one, or none, becomes that first. */
export async function retirePrice(
  { catalogue }: Catalogue,
  { id, product }: Retired,
  { successor = '', metadata = {} }: { successor?: string; metadata?: Record<string, string> } = {},
): Promise<void> {
  if (product.default_price === id) await catalogue.updateProduct(product.id, { default_price: successor });
  await catalogue.updatePrice(id, { active: false, metadata });
}
