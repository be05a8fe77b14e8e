import type { CancelSubscriptionInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { isOutOfReach } from '#server/integrations/get-stripe-account.ts';
import { refuseOther } from '#server/patients/refuse-other.ts';
import { StripeRefusal, stripeOf } from '#server/providers/stripe.ts';
import { assertOpenToPatients } from '../records/open-to-patients.ts';
import { addIntervals, hasEnded, loadSubscription, presentSubscription } from '../records/subscription.ts';
import { askFor } from '../sync/asked-change.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';

/**
 * Ends a subscription now, or with `cancel_at_period_end` after the billing period that was or will be paid. One at a
 * former account that gives no access any more ends here alone. Asking again gives the same answer; a scheduled end of what has ended already is 409 `already_canceled`. A patient whose clinic
 * keeps that to itself → 403 `organisation_only`. With `trialUnpaid` the scheduled end of a trial is its last day, and
 * nothing is ever paid.
 */
export async function cancelSubscription(
  ctx: Context,
  input: CancelSubscriptionInput,
  how: { trialUnpaid?: true } = {},
): Promise<SubscriptionView> {
  requireScope(ctx.actor, 'subscriptions:write');
  const known = await loadSubscription(ctx, input.id);
  refuseOther(known, input.patient_id);
  // What was never paid is only given up.
  if (known.status !== 'incomplete' && !hasEnded(known)) await assertOpenToPatients(ctx, 'cancel');
  if (input.cancel_at_period_end) return schedule(ctx, known, how);
  if (hasEnded(known)) return presentSubscription(ctx, known);
  const wanted = { action: 'subscriptions.cancel', details: { at: 'now' }, facts: ['endedAt' as const] };
  const cause = await askFor(ctx, known.id, wanted, () => stripeOf(ctx).cancelNow(known.accountId, known.id)).catch(
    async (error: unknown) => {
      if (!(await isOutOfReach(ctx, known.accountId, error))) throw error;
      // Nobody can end it there from here, and here it would run for ever.
      const alone = { ...wanted, details: { ...wanted.details, because: 'former_account' } };
      return { ...(await askFor(ctx, known.id, alone, async () => {})), endedHere: true };
    },
  );
  return presentSubscription(ctx, (await syncSubscription(ctx, known.id, cause)).row);
}

const alreadyEnded = () => refuse('already_canceled', 'This subscription has ended already.');

async function schedule(
  ctx: Context,
  known: Subscription,
  { trialUnpaid }: { trialUnpaid?: true },
): Promise<SubscriptionView> {
  const { row, live } = hasEnded(known) ? { row: known, live: null } : await syncSubscription(ctx, known.id);
  if (!live || hasEnded(row)) throw alreadyEnded();
  if (row.status === 'incomplete')
    throw refuse('conflict', 'This subscription was never paid, so it has no period to run out; cancel it now.');
  if (row.cancelAtPeriodEnd) return presentSubscription(ctx, row);
  const { interval, interval_count } = live.recurring;
  const trialEnd = live.status === 'trialing' ? live.trialEnd : null;
  const at = trialEnd && !trialUnpaid ? addIntervals(trialEnd, interval, interval_count) : 'period_end';
  const wanted = { action: 'subscriptions.cancel', details: { at: 'period_end' }, facts: ['cancelAt' as const] };
  const cause = await askFor(ctx, row.id, wanted, () => stripeOf(ctx).scheduleCancel(row.accountId, row.id, at)).catch(
    async (error: unknown) => {
      // It may have been ended between our reading and this.
      if (error instanceof StripeRefusal && hasEnded((await syncSubscription(ctx, row.id)).row)) throw alreadyEnded();
      throw error;
    },
  );
  return presentSubscription(ctx, (await syncSubscription(ctx, row.id, cause)).row);
}
