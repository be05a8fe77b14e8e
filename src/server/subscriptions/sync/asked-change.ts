import { waitsForCard } from '#contract/waits-for-card.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { CarelaneError, OUTCOME_UNKNOWN } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { type Asker, askerOf } from '#server/core/in-name-of.ts';
import { StripeFailure, StripeRefusal } from '#server/providers/stripe.ts';
import { stripeCardsOf } from '#server/providers/stripe-cards.ts';
import { type Facts, hasEnded, pauseReasonOf } from '../records/subscription.ts';

/** As long as it may take until a change that Stripe has made is found, whatever was lost on the way. */
const COUNTS_FOR = 20 * MINUTE;

export type Wanted = {
  /** For the audit log, as the verb's own entry would say it. */
  action: string;
  details: Record<string, unknown>;
  /** A change of any of these is what was asked for. None where what comes of it names the word by its id. */
  facts: (keyof Facts)[];
  /** The word's, where the request has one of its own. */
  id?: string;
};
/** Who asked for what, from where, and until when a change counts as theirs. */
export type Word = Omit<Wanted, 'id'> & Asker & { id: string; until: string };

/** What has been asked for and was not seen to be done yet. */
export const openWords = ({ asked }: Pick<Subscription, 'asked'>, now: Date): Word[] =>
  (asked as Word[]).filter(({ until }) => Date.parse(until) > now.getTime());

/**
 * Whether a promotion code is still being redeemed: the subscription waits for its first payment, or was ended to be created
 * again with the code. One that was paid, was canceled or has expired is not created again.
 */
export function isBeingRedeemed(before: Subscription, status: string, asked: Word | null): boolean {
  if (hasEnded(before) || status === 'incomplete') return true;
  const makesWay = ({ details }: Word) => details.replaced === true;
  return hasEnded({ status }) && (asked ? makesWay(asked) : (before.asked as Word[]).some(makesWay));
}

/**
 * Asks Stripe for a change after leaving word of who does so: Stripe's own webhook may be faster than the verb, and then
 * tells the change in the caller's name. Returned is what the verb's own reading is given. A refusal takes the word back; a
 * call without a known outcome leaves it, for what it asked for may be found yet. `claim` runs before, in the transaction
 * that leaves the word, which is then also taken back when the call is known to have had no effect.
 */
export async function askFor(
  ctx: Context,
  id: string,
  wanted: Wanted,
  ask: () => Promise<unknown>,
  claim?: (tx: Tx) => Promise<void>,
) {
  const now = ctx.clock.now();
  const until = new Date(now.getTime() + COUNTS_FOR).toISOString();
  const { tenantId } = ctx;
  const word: Word = { ...wanted, id: wanted.id ?? newId(now), ...askerOf(ctx), until };
  await ctx.db.$transaction(async (tx) => {
    await claim?.(tx);
    await tx.$executeRaw`
      update subscriptions set asked = asked || ${JSON.stringify([word])}::jsonb
      where tenant_id = ${tenantId}::uuid and id = ${id}`;
  });
  try {
    await ask();
  } catch (error) {
    if (error instanceof CarelaneError && (!(error instanceof StripeFailure) || (claim && !isOutcomeUnknown(error))))
      await ctx.db.$executeRaw`
        update subscriptions set asked = jsonb_path_query_array(asked, '$[*] ? (@.id != $id)', ${JSON.stringify({ id: word.id })}::jsonb)
        where tenant_id = ${tenantId}::uuid and id = ${id}`;
    throw error;
  }
  return { action: wanted.action, details: wanted.details, word: word.id };
}

const isOutcomeUnknown = ({ faults }: StripeFailure): boolean =>
  faults.some(({ meta }) => meta?.outcome === OUTCOME_UNKNOWN.outcome);

/** Paused as its trial ended without a card, and there is one by now. What was paused on request is not resumed from here. */
export const waitedForCard = (row: Subscription): boolean =>
  row.paymentMethod !== null && waitsForCard({ pause_reason: pauseReasonOf(row) });

/**
 * What was paused for want of a card goes on, and is billed, now that there is one. Undefined where it goes on already: it was
 * asked for by another window, or the card was saved elsewhere.
 */
export const resumePaused = (ctx: Context, { id, accountId }: Pick<Subscription, 'id' | 'accountId'>) =>
  askFor(ctx, id, { action: 'subscriptions.update', details: { resumed: true }, facts: ['status'] }, () =>
    stripeCardsOf(ctx).resume(accountId, id),
  ).catch((error: unknown) => {
    if (error instanceof StripeRefusal) return undefined;
    throw error;
  });
