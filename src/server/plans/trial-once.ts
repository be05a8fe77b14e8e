import type { PlanView } from '#contract/subscriptions.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';

/** A trial that is about to be granted. */
export type TrialClaim = {
  /** Products whose trial it is; empty when the clinic grants trials repeatedly. */
  trialOf?: string[];
  /** All products in the subscription, for which the trial then counts as used. */
  products?: string[];
  trialDays: number | null;
};
type Place = { accountId: string; patientId: string };

/**
 * Returns the products that the patient has had a trial of, with any price. Stripe itself would grant the trial each
 * time. A started trial counts, even when the subscription was never paid.
 */
export async function findUsedTrials(
  { tenantId, db }: Context,
  place: Place,
  plans: Pick<PlanView, 'id' | 'product' | 'trial_period_in_days'>[],
): Promise<Set<string>> {
  const free = plans.filter((plan) => plan.trial_period_in_days !== null);
  if (free.length === 0) return new Set();
  const rows = await db.subscription.findMany({
    where: { tenantId, ...place, trialStart: { not: null } },
    select: { trialProducts: true, prices: { select: { priceId: true } } },
  });
  const products = new Set(rows.flatMap(({ trialProducts }) => trialProducts));
  // For rows from before products were stored.
  const prices = new Set(rows.flatMap(({ prices: all }) => all.map(({ priceId }) => priceId)));
  return new Set(
    free.filter(({ id, product }) => products.has(product) || prices.has(id)).map(({ product }) => product),
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
  place: Place & { selfId?: string | undefined },
): Promise<void> {
  if (trialOf.length === 0) return;
  const { selfId, ...owner } = place;
  // In this order: an intent that is pending in the first query is a subscription when the second one runs.
  const pending = await tx.subscriptionIntent.findMany({
    where: { tenantId, ...owner, status: 'pending', ...(selfId && { id: { not: selfId } }) },
    select: { params: true },
  });
  const claims = pending.map(({ params }) => params as unknown as TrialClaim);
  const isGiven = claims.some(
    ({ products = [], trialDays }) => trialDays !== null && products.some((product) => trialOf.includes(product)),
  );
  if (isGiven || (await isTrialUsed(tx, tenantId, owner, trialOf))) throw trialUsedError();
}

/** True when the patient has had one of these trials. */
export async function isTrialUsed(
  db: Pick<Tx, 'subscription'>,
  tenantId: string,
  place: Place,
  trialOf: string[],
): Promise<boolean> {
  if (trialOf.length === 0) return false;
  const where = { tenantId, ...place, trialStart: { not: null }, trialProducts: { hasSome: trialOf } };
  return (await db.subscription.count({ where })) > 0;
}

export const trialUsedError = () =>
  apiError(
    'conflict',
    "The patient's free trial of this plan was begun elsewhere a moment ago. Try again in a minute.",
    {
      source: { pointer: '/price_ids' },
    },
  );
