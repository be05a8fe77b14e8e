import type { CancelSubscriptionInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { stripeOf } from '#server/providers/stripe.ts';
import { addIntervals, hasEnded, loadSubscription, presentSubscription } from '../records/subscription.ts';
import { askFor } from '../sync/asked-change.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';

/**
 * Ends a subscription now, or with `cancel_at_period_end` after the billing period that was or will be paid. Asking
 * again gives the same answer; a scheduled end of what has ended already is 409 `already_canceled`.
 */
export async function cancelSubscription(ctx: Context, input: CancelSubscriptionInput): Promise<SubscriptionView> {
  requireScope(ctx.actor, 'subscriptions:write');
  const known = await loadSubscription(ctx, input.id);
  if (input.cancel_at_period_end) return schedule(ctx, known);
  if (hasEnded(known)) return presentSubscription(ctx, known);
  const wanted = { action: 'subscriptions.cancel', details: { at: 'now' }, facts: ['endedAt' as const] };
  const cause = await askFor(ctx, known.id, wanted, () => stripeOf(ctx).cancelNow(known.accountId, known.id));
  return presentSubscription(ctx, (await syncSubscription(ctx, known.id, cause)).row);
}

async function schedule(ctx: Context, known: Subscription): Promise<SubscriptionView> {
  const { row, live } = hasEnded(known) ? { row: known, live: null } : await syncSubscription(ctx, known.id);
  if (!live || hasEnded(row)) throw refuse('already_canceled', 'This subscription has ended already.');
  if (row.status === 'incomplete')
    throw refuse('conflict', 'This subscription was never paid, so it has no period to run out; cancel it now.');
  if (row.cancelAtPeriodEnd) return presentSubscription(ctx, row);
  const { interval, interval_count } = live.recurring;
  const trialEnd = live.status === 'trialing' ? live.trialEnd : null;
  const at = trialEnd ? addIntervals(trialEnd, interval, interval_count) : 'period_end';
  const wanted = { action: 'subscriptions.cancel', details: { at: 'period_end' }, facts: ['cancelAt' as const] };
  const cause = await askFor(ctx, row.id, wanted, () => stripeOf(ctx).scheduleCancel(row.accountId, row.id, at));
  return presentSubscription(ctx, (await syncSubscription(ctx, row.id, cause)).row);
}
