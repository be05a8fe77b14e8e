import type { PlanView } from '#contract/subscriptions.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';

/** A trial that is about to be given. */
export type TrialClaim = {
  /** Products whose trial it is; none where the clinic gives trials again. */
  trialOf?: string[];
  /** All that is in the subscription, of which the patient has had a trial by then. */
  products?: string[];
  trialDays: number | null;
};
type Place = { accountId: string; patientId: string };

/**
 * Products of these that the patient has had a trial of, by any price. Stripe itself would grant the trial each
 * time. A trial that has begun counts, even if the subscription was never paid.
 */
export async function hadTrialOf(
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
  // Kept before products were.
  const prices = new Set(rows.flatMap(({ prices: all }) => all.map(({ priceId }) => priceId)));
  return new Set(
    free.filter(({ id, product }) => products.has(product) || prices.has(id)).map(({ product }) => product),
  );
}

/** What a plan claims of trials, to be kept with it. */
export const claimOf = (plans: PlanView[], trials: number[], isOnce: boolean) => ({
  trialOf: isOnce ? [...new Set(plans.filter((_, n) => trials[n]).map(({ product }) => product))] : [],
  products: [...new Set(plans.map(({ product }) => product))],
});

/** The patient's requests wait for each other from here to the end of the transaction. */
export const lockPatient = async (tx: Tx, { tenantId }: Context, patientId: string): Promise<void> => {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`subscriptions:${tenantId}:${patientId}`}, 0))`;
};

/**
 * Refuses while another request is about to give the patient a trial of the same product, or has since this was planned:
 * with its outcome known, the same wish is planned without the trial. To be asked behind `lockPatient`.
 */
export async function assertTrialFree(
  tx: Pick<Tx, 'subscription' | 'subscriptionIntent'>,
  { tenantId }: Context,
  { trialOf = [] }: TrialClaim,
  place: Place & { selfId?: string | undefined },
): Promise<void> {
  if (trialOf.length === 0) return;
  const { selfId, ...owner } = place;
  // In this order: what is being made when it is looked for is a subscription when that is.
  const pending = await tx.subscriptionIntent.findMany({
    where: { tenantId, ...owner, status: 'pending', ...(selfId && { id: { not: selfId } }) },
    select: { params: true },
  });
  const claims = pending.map(({ params }) => params as unknown as TrialClaim);
  const isGiven = claims.some(
    ({ products = [], trialDays }) => trialDays !== null && products.some((product) => trialOf.includes(product)),
  );
  if (isGiven || (await isTrialHad(tx, tenantId, owner, trialOf))) throw trialGiven();
}

/** Whether the patient has had one of these trials by now. */
export async function isTrialHad(
  db: Pick<Tx, 'subscription'>,
  tenantId: string,
  place: Place,
  trialOf: string[],
): Promise<boolean> {
  if (trialOf.length === 0) return false;
  const where = { tenantId, ...place, trialStart: { not: null }, trialProducts: { hasSome: trialOf } };
  return (await db.subscription.count({ where })) > 0;
}

export const trialGiven = () =>
  refuse('conflict', "The patient's free trial of this plan was begun elsewhere a moment ago. Try again in a minute.", {
    source: { pointer: '/price_ids' },
  });
