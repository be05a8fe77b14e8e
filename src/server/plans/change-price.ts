import type { ChangePriceInput } from '#contract/plan-changes.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import type { Price } from '#server/providers/stripe.ts';
import { retryReplayedFailure, StripeRejection } from '#server/providers/stripe-errors.ts';
import { retirePrice } from './archive-plan.ts';
import {
  assertCurrency,
  assertUnchanged,
  type Catalogue,
  changeCatalogue,
  currenciesOf,
  isOffered,
  openCatalogue,
  readPlan,
} from './catalogue.ts';

/** Metadata of a new price: the one whose place it takes. */
const REPLACES = 'carelane_replaces';
/** Metadata of the old price, set when it is archived. */
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
  // One list for both questions: a price made in between would otherwise be missed by the first, and counted as done.
  const prices = await catalogue.catalogue.prices();
  const begun = findSuccessor(prices, old, input);
  if (begun && begun.id === old.metadata[REPLACED_BY]) return { price_id: begun.id };
  if (!begun) {
    assertUnchanged(old, input);
    if (!isOffered(old)) throw apiError('conflict', 'This plan is archived. Offer it again first.');
    assertCurrency(input.currency, await currenciesOf(ctx, prices));
    if (hasTerms(old, input))
      throw apiError('invalid_parameter', 'This is the price already.', { source: { pointer: '/unit_amount' } });
  }
  let priceId = begun?.id ?? '';
  await changeCatalogue(ctx, async () => {
    priceId ||= await createSuccessor(catalogue, old, { input, earlier: successorsOf(prices, old).length });
    await retirePrice(catalogue, old, { successor: priceId, metadata: { [REPLACED_BY]: priceId } });
    const details = { new_price_id: priceId };
    return { action: 'plans.change_price', type: 'Plan', id: old.id, name: old.product.name, details };
  });
  return { price_id: priceId };
}

const hasTerms = (price: Price, { unit_amount, currency, recurring }: ChangePriceInput): boolean =>
  price.unit_amount === unit_amount &&
  price.currency === currency &&
  price.recurring?.interval === recurring.interval &&
  price.recurring.interval_count === recurring.interval_count;

const successorsOf = (prices: Price[], old: Price): Price[] =>
  prices.filter(({ metadata }) => metadata[REPLACES] === old.id);

/**
 * Returns the price that an equal request has made, or null.
 * @throws `conflict` when a request with other terms has made one, and the old price is not archived yet
 */
function findSuccessor(prices: Price[], old: Price, input: ChangePriceInput): Price | null {
  const done = old.metadata[REPLACED_BY];
  const made = successorsOf(prices, old).filter(({ active, id }) => active && (id === done) !== old.active);
  const same = made.find((price) => hasTerms(price, input));
  if (same) return same;
  if (old.active && made.length > 0)
    throw apiError(
      'conflict',
      'Someone else has just given this plan another price. Close this, and look at it again.',
    );
  return null;
}

type Wish = { input: ChangePriceInput; earlier: number };

async function createSuccessor({ catalogue }: Catalogue, old: Price, { input, earlier }: Wish): Promise<string> {
  const { [REPLACED_BY]: _, ...metadata } = old.metadata;
  const { unit_amount, currency, recurring } = input;
  const price = {
    ...{ unit_amount, currency, recurring, product: old.product.id, nickname: old.nickname ?? null },
    tax_behavior: old.tax_behavior && old.tax_behavior !== UNSPECIFIED ? old.tax_behavior : null,
    metadata: { ...metadata, [REPLACES]: old.id },
  };
  const found = async () => findSuccessor(await catalogue.prices(old.product.id), old, input);
  for (let n = 1; ; n++) {
    const key = `carelane-price-${old.id}-${earlier}-${n}`;
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
