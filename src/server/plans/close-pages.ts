import { HOUR } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { type ProcessorSubscription, stripeOf } from '#server/providers/stripe.ts';
import { type OpenedPage, stripeCheckoutOf } from '#server/providers/stripe-checkout.ts';
import { alreadyHas } from './duplicates.ts';
import { isTrialHad, trialGiven } from './trial-once.ts';

/** A page lives for a day; the hour is for clocks that differ. */
const LIVES_FOR = 25 * HOUR;
/** Each round ends those that are open; more than one only where the patient pays meanwhile. */
const MOST_LOOKS = 3;

export type Selling = {
  accountId: string;
  customerId: string;
  patientId: string;
  priceIds: string[];
  /** Products whose trial is given by what is begun. */
  trialOf: string[];
  request?: string | null;
  /** Only pages that were opened before this one. */
  before?: string;
};

type Owner = { accountId: string; patientId: string; createdByClientId: null; intentId: null };
/** Keeps a subscription; false when it was kept already. */
type Adopt = (ctx: Context, live: ProcessorSubscription, owner: Owner) => Promise<boolean>;

/**
 * Ends the pages at Stripe on which the patient could still buy one of these prices, so that nobody pays for both, or have a
 * trial of the same product, which is had once. What was bought on one a moment ago, of which nobody has told us yet, is
 * taken in by `adopt`. Returns the refusal where it is in the way.
 */
export async function closePages(ctx: Context, selling: Selling, adopt: Adopt): Promise<Error | null> {
  const { accountId, customerId, patientId, priceIds, trialOf, request = null, before } = selling;
  const { tenantId, db } = ctx;
  const stripe = stripeCheckoutOf(ctx);
  const sells = ({ priceIds: ids }: OpenedPage) => ids.some((id) => priceIds.includes(id));
  const tries = ({ givesTrial, productIds }: OpenedPage) => givesTrial && productIds.some((id) => trialOf.includes(id));
  for (let round = 1; round <= MOST_LOOKS; round++) {
    const since = new Date(ctx.clock.now().getTime() - LIVES_FOR);
    const all = await stripe.opened(accountId, customerId, since);
    const own = all.findIndex(({ id }) => id === before);
    const pages = (before === undefined ? all : all.slice(own < 0 ? all.length : own + 1)).filter(
      (page) => (sells(page) || tries(page)) && (request === null || page.request !== request),
    );
    for (const page of pages) {
      const { subscriptionId: id } = page;
      if (!id || (await db.subscription.count({ where: { tenantId, id } })) > 0) continue;
      const live = await stripeOf(ctx).getSubscription(accountId, id);
      const owner = { accountId, patientId, createdByClientId: null, intentId: null };
      if (!(await adopt(ctx, live, owner))) continue;
      if (!sells(page)) return trialGiven();
      return alreadyHas(await db.subscription.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id } } }));
    }
    const open = pages.filter(({ status }) => status === 'open');
    const ended = await Promise.all(open.map(({ id }) => stripe.expire(accountId, id)));
    if (ended.every(Boolean)) break;
  }
  return (await isTrialHad(db, tenantId, { accountId, patientId }, trialOf)) ? trialGiven() : null;
}
