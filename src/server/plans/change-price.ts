import type { ChangePriceInput } from '#contract/plan-changes.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import type { Price } from '#server/providers/stripe.ts';
import { retryReplayedFailure, StripeRejection } from '#server/providers/stripe-errors.ts';
import { retirePrice } from './archive-plan.ts';
import {
  assertCurrency,
  type Catalogue,
  changeCatalogue,
  changesSince,
  currenciesOf,
  hasOneAmount,
  isOffered,
  openCatalogue,
  planChanged,
  readPlan,
} from './catalogue.ts';
import { loadPlans } from './plan.ts';

/** Metadata of a new price while the change goes on: the one whose place it takes. */
const REPLACES = 'carelane_replaces';
/** Metadata of the old price, set when it is archived: the one that has taken its place. */
const REPLACED_BY = 'carelane_replaced_by';
const UNSPECIFIED = 'unspecified';
const MAX_KEYS = 5;

/**
 * Changes a plan's amount, currency or period: Stripe never changes a price, so a new one takes its place and the old one
 * is archived. Live subscriptions keep the old one.
 *
 * The new price names the old one, and its idempotency key is the same for all callers. A request that finds it there
 * already finishes the change, after a crash too; concurrent requests make one price, and those with other terms fail.
 * @throws `conflict` when the plan is not as the caller has read it, or has another new price
 */
export async function changePrice(ctx: Context, input: ChangePriceInput): Promise<{ price_id: string }> {
  requireStaff(ctx.actor, 'plans:write');
  const catalogue = await openCatalogue(ctx);
  const old = await readPlan(catalogue, input.price_id);
  const begun = findSuccessor(await catalogue.catalogue.prices(old.product.id), old, input);
  if (!begun) await assertChangeable(ctx, catalogue, { old, input });
  let priceId = begun?.id ?? '';
  await changeCatalogue(ctx, async (done) => {
    priceId ||= await createSuccessor(catalogue, old, input);
    if (old.active || old.metadata[REPLACED_BY] !== priceId)
      await retirePrice(catalogue, old, { successor: priceId, metadata: { [REPLACED_BY]: priceId } });
    const details = { new_price_id: priceId };
    done({ action: 'plans.change_price', type: 'Plan', id: old.id, name: old.product.name, details, isOnce: true });
    // The old price may be offered again: it has no unfinished change then.
    if (begun?.metadata[REPLACES] !== undefined || !begun)
      await catalogue.catalogue.updatePrice(priceId, { metadata: { [REPLACES]: '' } });
  });
  return { price_id: priceId };
}

async function assertChangeable(
  ctx: Context,
  { accountId }: Catalogue,
  { old, input }: { old: Price; input: ChangePriceInput },
): Promise<void> {
  const { product, price } = changesSince(old, input.version);
  if (product || price) throw planChanged();
  if (!isOffered(old)) throw apiError('conflict', 'This plan is archived. Offer it again first.');
  if (!hasOneAmount(old))
    throw apiError('conflict', 'This price has tiers, packages or metered usage. Change it in Stripe’s dashboard.');
  assertCurrency(input.currency, await currenciesOf(ctx, await loadPlans(ctx, accountId)));
  if (hasTerms(old, input))
    throw apiError('invalid_parameter', 'This is the price already.', { source: { pointer: '/unit_amount' } });
}

const hasTerms = (price: Price, { unit_amount, currency, recurring }: ChangePriceInput): boolean =>
  price.unit_amount === unit_amount &&
  price.currency === currency &&
  price.recurring?.interval === recurring.interval &&
  price.recurring.interval_count === recurring.interval_count;

/**
 * Returns the price that an equal request has made, or null.
 * @throws `conflict` when a request with other terms has made one, and the old price is not archived yet
 */
function findSuccessor(prices: Price[], old: Price, input: ChangePriceInput): Price | null {
  const last = old.metadata[REPLACED_BY];
  if (!old.active) return prices.find((price) => price.id === last && price.active && hasTerms(price, input)) ?? null;
  const begun = prices.filter(({ id, active, metadata }) => active && id !== last && metadata[REPLACES] === old.id);
  const same = begun.find((price) => hasTerms(price, input));
  if (!same && begun.length > 0) throw pricedByAnother();
  return same ?? null;
}

const pricedByAnother = () =>
  apiError('conflict', 'Someone else has just given this plan another price. Close this, and look at it again.');

async function createSuccessor(account: Catalogue, old: Price, input: ChangePriceInput): Promise<string> {
  const { catalogue } = account;
  const { [REPLACED_BY]: last = '', ...metadata } = old.metadata;
  const { unit_amount, currency, recurring } = input;
  const price = {
    ...{ unit_amount, currency, recurring, product: old.product.id, nickname: old.nickname ?? null },
    tax_behavior: old.tax_behavior && old.tax_behavior !== UNSPECIFIED ? old.tax_behavior : null,
    lookup_key: old.lookup_key ?? null,
    metadata: { ...metadata, [REPLACES]: old.id },
  };
  const found = async () => {
    const now = await readPlan(account, old.id);
    const successor = findSuccessor(await catalogue.prices(old.product.id), now, input);
    if (!successor && now.metadata[REPLACED_BY] !== old.metadata[REPLACED_BY]) throw pricedByAnother();
    return successor;
  };
  for (let n = 1; ; n++) {
    // The old price may be offered again and replaced again.
    const key = `carelane-price-${old.id}-${last}-${n}`;
    try {
      return (await retryReplayedFailure<{ id: string }>(key, (one) => catalogue.createPrice(price, one), found)).id;
    } catch (error) {
      // Another request has used the key with other terms: it has made the price, or Stripe has rejected them.
      if (!(error instanceof StripeRejection && error.isKeyReused) || n === MAX_KEYS) throw error;
      const made = await found();
      if (made) return made.id;
    }
  }
}
