import type { CancelSubscriptionInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { isFormerAccountError } from '#server/integrations/index.ts';
import { assertOwner } from '#server/patients/index.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import { assertOpenToPatients } from '../records/open-to-patients.ts';
import { addIntervals, hasEnded, loadSubscription, presentSubscription } from '../records/subscription.ts';
import { requestChange, syncSubscription } from '../sync/sync-subscription.ts';

/**
 * Ends a subscription now, or with `cancel_at_period_end` at the end of the billing period that was or will be paid.
 * Idempotent. A subscription at a former account without access ends only in the database. With `trialUnpaid`, a trial
 * ends on its last day and is never charged.
 * @throws `already_canceled` (409) when the end is scheduled for a subscription that has ended
 * @throws `organisation_only` (403) for a patient whose clinic disallows it
 */
export async function cancelSubscription(
  ctx: Context,
  input: CancelSubscriptionInput,
  options: { trialUnpaid?: true } = {},
): Promise<SubscriptionView> {
  requireScope(ctx.actor, 'subscriptions:write', { staff: 'subscriptions:cancel' });
  const stored = await loadSubscription(ctx, input.id);
  assertOwner(stored, input.patient_id);
  // A patient may always give up a subscription that was never paid.
  if (stored.status !== 'incomplete' && !hasEnded(stored)) await assertOpenToPatients(ctx, 'cancel');
  if (input.cancel_at_period_end) return schedule(ctx, stored, options);
  if (hasEnded(stored)) return presentSubscription(ctx, stored);
  const change = { action: 'subscriptions.cancel' as const, details: { at: 'now' }, facts: ['endedAt' as const] };
  const cause = await requestChange(ctx, stored.id, change, () =>
    ctx.providers.stripeClient(ctx).cancelNow(stored.accountId, stored.id),
  ).catch(async (error: unknown) => {
    if (!(await isFormerAccountError(ctx, stored.accountId, error))) throw error;
    // The account grants no access, so it cannot be ended there; without this it would run forever here.
    const localChange = { ...change, details: { ...change.details, because: 'former_account' } };
    return { ...(await requestChange(ctx, stored.id, localChange, async () => {})), endedHere: true };
  });
  return presentSubscription(ctx, (await syncSubscription(ctx, stored.id, cause)).row);
}

const alreadyEnded = () => apiError('already_canceled', 'This subscription has ended already.');

async function schedule(
  ctx: Context,
  stored: Subscription,
  { trialUnpaid }: { trialUnpaid?: true },
): Promise<SubscriptionView> {
  const { row, live } = hasEnded(stored) ? { row: stored, live: null } : await syncSubscription(ctx, stored.id);
  if (!live || hasEnded(row)) throw alreadyEnded();
  if (row.status === 'incomplete')
    throw apiError('conflict', 'This subscription was never paid, so it has no period to run out; cancel it now.');
  if (row.cancelAtPeriodEnd) return presentSubscription(ctx, row);
  const { interval, interval_count } = live.recurring;
  const trialEnd = live.status === 'trialing' ? live.trialEnd : null;
  const at = trialEnd && !trialUnpaid ? addIntervals(trialEnd, interval, interval_count) : 'period_end';
  const change = {
    action: 'subscriptions.cancel' as const,
    details: { at: 'period_end' },
    facts: ['cancelAt' as const],
  };
  const cause = await requestChange(ctx, row.id, change, () =>
    ctx.providers.stripeClient(ctx).scheduleCancel(row.accountId, row.id, at),
  ).catch(async (error: unknown) => {
    // It may have ended since it was read.
    if (error instanceof StripeRejection && hasEnded((await syncSubscription(ctx, row.id)).row)) throw alreadyEnded();
    throw error;
  });
  return presentSubscription(ctx, (await syncSubscription(ctx, row.id, cause)).row);
}
