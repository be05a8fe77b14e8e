import { HOUR } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { type StripeSubscription, stripeOf } from '#server/providers/stripe.ts';
import { type OpenedPage, stripeCheckoutOf } from '#server/providers/stripe-checkout.ts';
import { duplicateError } from './duplicates.ts';
import { isTrialUsed, trialUsedError } from './trial-once.ts';

/** A page is valid for a day; one more hour covers clock differences. */
const LIVES_FOR = 25 * HOUR;
/** Each round expires the open pages; another one is needed only when the patient pays in between. */
const MOST_LOOKS = 3;

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
export async function expireCheckoutPages(ctx: Context, selling: Purchase, adopt: Adopt): Promise<Error | null> {
  const { accountId, customerId, patientId, priceIds, trialOf, request = null, before } = selling;
  const { tenantId, db } = ctx;
  const stripe = stripeCheckoutOf(ctx);
  const sells = ({ priceIds: ids }: OpenedPage) => ids.some((id) => priceIds.includes(id));
  const givesTrialOf = ({ givesTrial, productIds }: OpenedPage) =>
    givesTrial && productIds.some((id) => trialOf.includes(id));
  for (let round = 1; round <= MOST_LOOKS; round++) {
    const since = new Date(ctx.clock.now().getTime() - LIVES_FOR);
    const all = await stripe.opened(accountId, customerId, since);
    const own = all.findIndex(({ id }) => id === before);
    const pages = (before === undefined ? all : all.slice(own < 0 ? all.length : own + 1)).filter(
      (page) => (sells(page) || givesTrialOf(page)) && (request === null || page.request !== request),
    );
    for (const page of pages) {
      const { subscriptionId: id } = page;
      if (!id || (await db.subscription.count({ where: { tenantId, id } })) > 0) continue;
      const live = await stripeOf(ctx).getSubscription(accountId, id);
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
