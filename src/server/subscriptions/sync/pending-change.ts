import { waitsForCard } from '#contract/waits-for-card.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import { type Context, type StoredCaller, storedCallerOf } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { CarelaneError, OUTCOME_UNKNOWN } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { StripeFailure, StripeRejection } from '#server/providers/stripe.ts';
import { stripeCardsOf } from '#server/providers/stripe-cards.ts';
import { type Facts, hasEnded, pauseReasonOf } from '../records/subscription.ts';

/** Upper bound for finding a change made at Stripe, also when webhooks or responses were lost. */
const PENDING_FOR = 20 * MINUTE;

type ChangeRequest = {
  /** For the audit log, as the request's own entry would have it. */
  action: string;
  details: Record<string, unknown>;
  /**
   * Columns whose change shows that the request was carried out. Empty when the outcome names the request by its id.
   */
  facts: (keyof Facts)[];
  /** The id of the record, when the request has its own. */
  id?: string;
};
/** A record of a requested change: the requester, and until when a change is attributed to it. */
export type PendingChange = Omit<ChangeRequest, 'id'> & StoredCaller & { id: string; until: string };

/** Requested changes that have not been seen at Stripe yet. */
export const pendingChanges = ({ asked }: Pick<Subscription, 'asked'>, now: Date): PendingChange[] =>
  (asked as PendingChange[]).filter(({ until }) => Date.parse(until) > now.getTime());

/**
 * True while a promotion code is being redeemed: the subscription waits for its first payment, or was ended to be
 * created again with the code. One that was paid, canceled or has expired is not created again.
 */
export function isBeingRedeemed(before: Subscription, status: string, asked: PendingChange | null): boolean {
  if (hasEnded(before) || status === 'incomplete') return true;
  const isReplaced = ({ details }: PendingChange) => details.replaced === true;
  return hasEnded({ status }) && (asked ? isReplaced(asked) : (before.asked as PendingChange[]).some(isReplaced));
}

/**
 * Records the request, then makes the change at Stripe. The webhook may be processed before the request returns; the
 * record lets it attribute the change to the caller. An error of Stripe removes the record; a call with unknown outcome
 * keeps it. `claim` runs in the transaction that stores the record, which is then also removed when the call is known
 * to have had no effect.
 * @returns the cause to pass to the following sync
 */
export async function requestChange(
  ctx: Context,
  id: string,
  request: ChangeRequest,
  change: () => Promise<unknown>,
  claim?: (tx: Tx) => Promise<void>,
) {
  const now = ctx.clock.now();
  const until = new Date(now.getTime() + PENDING_FOR).toISOString();
  const { tenantId } = ctx;
  const pending: PendingChange = { ...request, id: request.id ?? newId(now), ...storedCallerOf(ctx), until };
  await ctx.db.$transaction(async (tx) => {
    await claim?.(tx);
    await tx.$executeRaw`
      update subscriptions set asked = asked || ${JSON.stringify([pending])}::jsonb
      where tenant_id = ${tenantId}::uuid and id = ${id}`;
  });
  try {
    await change();
  } catch (error) {
    if (error instanceof CarelaneError && (!(error instanceof StripeFailure) || (claim && !isOutcomeUnknown(error))))
      await ctx.db.$executeRaw`
        update subscriptions set asked = jsonb_path_query_array(asked, '$[*] ? (@.id != $id)', ${JSON.stringify({ id: pending.id })}::jsonb)
        where tenant_id = ${tenantId}::uuid and id = ${id}`;
    throw error;
  }
  return { action: request.action, details: request.details, pendingChangeId: pending.id };
}

const isOutcomeUnknown = ({ faults }: StripeFailure): boolean =>
  faults.some(({ meta }) => meta?.outcome === OUTCOME_UNKNOWN.outcome);

/**
 * True when it was paused because its trial ended without a card, and a card is saved now. One paused on request is not
 * resumed here.
 */
export const isPausedForCard = (row: Subscription): boolean =>
  row.paymentMethod !== null && waitsForCard({ pause_reason: pauseReasonOf(row) });

/**
 * Resumes and bills a subscription that was paused for lack of a card.
 * @returns undefined when Stripe rejects it: another request has resumed it already
 */
export const resumePaused = (ctx: Context, { id, accountId }: Pick<Subscription, 'id' | 'accountId'>) =>
  requestChange(ctx, id, { action: 'subscriptions.update', details: { resumed: true }, facts: ['status'] }, () =>
    stripeCardsOf(ctx).resume(accountId, id),
  ).catch((error: unknown) => {
    if (error instanceof StripeRejection) return undefined;
    throw error;
  });
