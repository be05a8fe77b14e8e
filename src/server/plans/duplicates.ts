import { ENDED_STATUSES } from '#contract/subscription-status.ts';
import type { PlanView } from '#contract/subscriptions.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import { HOUR } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import type { StripeSubscription } from '#server/providers/stripe.ts';
import type { OpenedPage } from '#server/providers/stripe-checkout.ts';

/** The source of the n-th price in the caller's request. */
export type PricesAt = (index: number) => { pointer: string } | { parameter: string };
export const inBody: PricesAt = (index) => ({ pointer: `/price_ids/${index}` });
export const inQuery: PricesAt = () => ({ parameter: 'price_ids' });

type Db = Pick<Tx, 'subscription' | 'subscriptionIntent'>;
type RequestedChange = { until: string; details: { price_ids?: string[] } };

/** The prices of a subscription, including those of pending changes. */
export function pricesOf({ items, asked }: Pick<Subscription, 'items' | 'asked'>, now: Date): string[] {
  const changes = (asked as RequestedChange[]).filter(({ until }) => Date.parse(until) > now.getTime());
  return [
    ...(items as { price_id: string }[]).map(({ price_id }) => price_id),
    ...changes.flatMap(({ details }) => details.price_ids ?? []),
  ];
}

/** Prices that a patient may have once. `selfId` is the subscription being changed to them. */
export type Unique = { patientId: string; priceIds: string[]; selfId?: string };

/** Returns the patient's subscriptions that have not ended and have one of the prices, oldest first. */
export async function findDuplicates(
  db: Pick<Db, 'subscription'>,
  { tenantId, clock }: Context,
  { patientId, priceIds, selfId }: Unique,
): Promise<Subscription[]> {
  if (priceIds.length === 0) return [];
  const rows = await db.subscription.findMany({
    where: { tenantId, patientId, status: { notIn: [...ENDED_STATUSES] }, ...(selfId && { id: { not: selfId } }) },
    orderBy: { createdAt: 'asc' },
  });
  return rows.filter((row) => pricesOf(row, clock.now()).some((id) => priceIds.includes(id)));
}

/**
 * Asserts that no other subscription of the patient has one of the prices.
 * @throws `conflict` also while one is being created
 */
export async function assertNoDuplicate(db: Db, ctx: Context, unique: Unique, at: PricesAt): Promise<void> {
  const [other] = await findDuplicates(db, ctx, unique);
  if (other) throw duplicateError(other, at);
  const { tenantId } = ctx;
  const where = { tenantId, patientId: unique.patientId, status: 'pending' };
  const pending = await db.subscriptionIntent.findMany({ where, select: { params: true } });
  const priceIds = pending.flatMap(({ params }) => (params as { wish: { priceIds: string[] } }).wish.priceIds);
  if (priceIds.some((id) => unique.priceIds.includes(id))) throw pendingDuplicateError(at);
}

const sourceOf = (at: PricesAt) => (at === inBody ? { pointer: '/price_ids' } : at(0));

export function duplicateError({ id, name, status }: Pick<Subscription, 'id' | 'name' | 'status'>, at = inBody) {
  const unpaid = status === 'incomplete' ? ', whose first payment is not complete' : '';
  return apiError('conflict', `The patient already has a subscription to ${name ?? 'this plan'}${unpaid}.`, {
    source: sourceOf(at),
    meta: { subscription_id: id, status },
  });
}

export const pendingDuplicateError = (at = inBody) =>
  apiError('conflict', 'Another subscription to this plan is being made for the patient. Try again in a minute.', {
    source: sourceOf(at),
  });

/** A trial that is about to be granted. */
export type TrialClaim = {
  /** Products whose trial it is; empty when the clinic grants trials repeatedly. */
  trialOf?: string[];
  /** All products in the subscription, for which the trial then counts as used. */
  products?: string[];
  trialDays: number | null;
};
type TrialOwner = { accountId: string; patientId: string };

/**
 * Returns the products that the patient has had a trial of, with any price. Stripe itself would grant the trial each
 * time. A started trial counts, even when the subscription was never paid.
 */
export async function findUsedTrials(
  { tenantId, db }: Context,
  trialOwner: TrialOwner,
  plans: Pick<PlanView, 'id' | 'product' | 'trial_period_in_days'>[],
): Promise<Set<string>> {
  const withTrial = plans.filter((plan) => plan.trial_period_in_days !== null);
  if (withTrial.length === 0) return new Set();
  const rows = await db.subscription.findMany({
    where: { tenantId, ...trialOwner, trialStart: { not: null } },
    select: { trialProducts: true, prices: { select: { priceId: true } } },
  });
  const products = new Set(rows.flatMap(({ trialProducts }) => trialProducts));
  // For rows from before products were stored.
  const prices = new Set(rows.flatMap(({ prices: all }) => all.map(({ priceId }) => priceId)));
  return new Set(
    withTrial.filter(({ id, product }) => products.has(product) || prices.has(id)).map(({ product }) => product),
  );
}

/** The trial claim of a plan, to be stored with it. */
export const trialClaimOf = (plans: PlanView[], trials: number[], isOnce: boolean) => ({
  trialOf: isOnce ? [...new Set(plans.filter((_, n) => trials[n]).map(({ product }) => product))] : [],
  products: [...new Set(plans.map(({ product }) => product))],
});

/** Serialises the patient's requests until the end of the transaction. */
export const lockPatient = async (tx: Tx, { tenantId }: Context, patientId: string): Promise<void> => {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`subscriptions:${tenantId}:${patientId}`}, 0))`;
};

/**
 * Asserts that no pending request grants the patient a trial of the same product, and that none has been granted since
 * planning. Must be called after `lockPatient`.
 * @throws `conflict`; once the outcome is known, the same request is planned without the trial
 */
export async function assertTrialAvailable(
  tx: Pick<Tx, 'subscription' | 'subscriptionIntent'>,
  { tenantId }: Context,
  { trialOf = [] }: TrialClaim,
  trialOwner: TrialOwner & { selfId?: string | undefined },
): Promise<void> {
  if (trialOf.length === 0) return;
  const { selfId, ...owner } = trialOwner;
  // In this order: an intent that is pending in the first query is a subscription when the second one runs.
  const pending = await tx.subscriptionIntent.findMany({
    where: { tenantId, ...owner, status: 'pending', ...(selfId && { id: { not: selfId } }) },
    select: { params: true },
  });
  const claims = pending.map(({ params }) => params as unknown as TrialClaim);
  const isClaimed = claims.some(
    ({ products = [], trialDays }) => trialDays !== null && products.some((product) => trialOf.includes(product)),
  );
  if (isClaimed || (await isTrialUsed(tx, tenantId, owner, trialOf))) throw trialUsedError();
}

/** True when the patient has had one of these trials. */
async function isTrialUsed(
  db: Pick<Tx, 'subscription'>,
  tenantId: string,
  trialOwner: TrialOwner,
  trialOf: string[],
): Promise<boolean> {
  if (trialOf.length === 0) return false;
  const where = { tenantId, ...trialOwner, trialStart: { not: null }, trialProducts: { hasSome: trialOf } };
  return (await db.subscription.count({ where })) > 0;
}

const trialUsedError = () =>
  apiError(
    'conflict',
    "The patient's free trial of this plan was begun elsewhere a moment ago. Try again in a minute.",
    {
      source: { pointer: '/price_ids' },
    },
  );

/** A page is valid for a day; one more hour covers clock differences. */
const PAGE_TTL = 25 * HOUR;
/** Each round expires the open pages; another one is needed only when the patient pays in between. */
const MAX_ROUNDS = 3;

export type Purchase = {
  accountId: string;
  customerId: string;
  patientId: string;
  priceIds: string[];
  /** Products whose trial starts with the new purchase. */
  trialOf: string[];
  request?: string | null;
  /** Only pages that were opened before this one. */
  before?: string;
};

type Owner = { accountId: string; patientId: string; createdByClientId: null; intentId: null };
/** Stores a subscription; returns false when it was stored already. */
type Adopt = (ctx: Context, live: StripeSubscription, owner: Owner) => Promise<boolean>;

/**
 * Expires the Stripe pages that still sell one of these prices or give a trial of one of these products, so that the
 * patient neither pays twice nor gets a second trial. A purchase whose webhook has not arrived yet is stored by
 * `adopt`.
 * @returns the error when such a purchase blocks the new one, else null
 */
export async function expireCheckoutPages(ctx: Context, purchase: Purchase, adopt: Adopt): Promise<Error | null> {
  const { accountId, customerId, patientId, priceIds, trialOf, request = null, before } = purchase;
  const { tenantId, db } = ctx;
  const stripe = ctx.providers.stripeClient(ctx).checkout;
  const sells = ({ priceIds: ids }: OpenedPage) => ids.some((id) => priceIds.includes(id));
  const givesTrialOf = ({ givesTrial, productIds }: OpenedPage) =>
    givesTrial && productIds.some((id) => trialOf.includes(id));
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const since = new Date(ctx.clock.now().getTime() - PAGE_TTL);
    const all = await stripe.opened(accountId, customerId, since);
    const own = all.findIndex(({ id }) => id === before);
    const pages = (before === undefined ? all : all.slice(own < 0 ? all.length : own + 1)).filter(
      (page) => (sells(page) || givesTrialOf(page)) && (request === null || page.request !== request),
    );
    for (const page of pages) {
      const { subscriptionId: id } = page;
      if (!id || (await db.subscription.count({ where: { tenantId, id } })) > 0) continue;
      const live = await ctx.providers.stripeClient(ctx).getSubscription(accountId, id);
      const owner = { accountId, patientId, createdByClientId: null, intentId: null };
      if (!(await adopt(ctx, live, owner))) continue;
      if (!sells(page)) return trialUsedError();
      return duplicateError(await db.subscription.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id } } }));
    }
    const open = pages.filter(({ status }) => status === 'open');
    const ended = await Promise.all(open.map(({ id }) => stripe.expire(accountId, id)));
    if (ended.every(Boolean)) break;
  }
  return (await isTrialUsed(db, tenantId, { accountId, patientId }, trialOf)) ? trialUsedError() : null;
}
