import type { UpdateSubscriptionInput } from '#contract/subscription-changes.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import { DAY, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { assertInCare, loadPatientFor } from '#server/patients/index.ts';
import { assertNoDuplicate, expireCheckoutPages, inBody, lockPatient } from '#server/plans/index.ts';
import type { StripeSubscription } from '#server/providers/stripe.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import { assertOpenToPatients } from '../records/open-to-patients.ts';
import {
  addIntervals,
  hasEnded,
  loadSubscription,
  maySeeSecrets,
  presentSubscription,
} from '../records/subscription.ts';
import { adoptSubscription, requestChange, type Synced, syncSubscription } from '../sync/sync-subscription.ts';
import { assertChangeable, findAddedPrices, planItemChanges, prorationOf, throwChangeError } from './plan-change.ts';

/**
 * Changes the items of a subscription, undoes its scheduled cancellation, or ends or moves its trial. Idempotent: a
 * request for the current state changes nothing. An open Stripe page that sells an added price is expired. `preview`
 * holds the date of a preview that the service vouches for, because patients may not set one.
 * @throws `conflict` (409) for a price of another subscription of the patient, unless `allow_duplicate` is set
 * @throws `already_canceled` (409) when it has ended
 * @throws `organisation_only` (403) for a patient whose clinic disallows it
 */
export async function updateSubscription(
  ctx: Context,
  input: UpdateSubscriptionInput,
  preview?: { prorationDate: Date },
): Promise<SubscriptionView> {
  requireScope(ctx.actor, 'subscriptions:write');
  assertMaySetProration(ctx, input);
  assertMayChangeTrial(ctx, input);
  const stored = await loadSubscription(ctx, input.id);
  if (input.price_ids || input.quantities) await assertOpenToPatients(ctx, 'change_plan');
  if (input.cancel_at_period_end === false) await assertOpenToPatients(ctx, 'cancel');
  assertInCare(await loadPatientFor(ctx, stored.patientId));
  if (hasEnded(stored)) assertChangeable(stored);
  const { row, live } = await syncSubscription(ctx, stored.id);
  const present = (from: typeof row, secrets: typeof live) =>
    presentSubscription(ctx, from, maySeeSecrets(ctx.actor, from) ? secrets : null);
  if (input.trial_end !== undefined) {
    const moved = await moveTrial(ctx, { row, live }, input.trial_end);
    return present(moved.row, moved.live);
  }
  const items = await planItemChanges(ctx, row, input, inBody);
  const isUndone = input.cancel_at_period_end === false && row.cancelAt !== null;
  if (!live || items.length > 0 || isUndone) assertChangeable(row);
  if (!live || (items.length === 0 && !isUndone)) return present(row, live);

  const proration = items.length > 0 ? await prorationOf(ctx, input.proration) : 'none';
  const prorationDate = input.proration_date ? new Date(input.proration_date) : (preview?.prorationDate ?? null);
  const undo = isUndone ? (live.cancelAtPeriodEnd ? 'period_end' : 'instant') : null;
  const request = {
    action: 'subscriptions.update' as const,
    details: {
      ...(items.length > 0 && { price_ids: input.price_ids, quantities: input.quantities, proration }),
      ...(isUndone && { undone: true }),
    },
    facts: [...(items.length > 0 ? ['items' as const] : []), ...(isUndone ? ['cancelAt' as const] : [])],
  };
  const change = { items, proration, prorationDate, undo } as const;
  const added = input.allow_duplicate ? null : await findAddedPrices(ctx, row, items);
  const { accountId, patientId } = row;
  const changeAtStripe = async () => {
    const priceIds = added?.priceIds ?? [];
    const purchase = { accountId, customerId: live.customerId, patientId, priceIds, trialOf: [] };
    const error = priceIds.length > 0 ? await expireCheckoutPages(ctx, purchase, adoptSubscription) : null;
    if (error) throw error;
    await ctx.providers
      .stripeClient(ctx)
      .changes.change(accountId, row.id, change)
      .catch((error: unknown) => throwChangeError(error, inBody));
  };
  const cause = await requestChange(ctx, row.id, request, changeAtStripe, async (tx) => {
    if (!added) return;
    await lockPatient(tx, ctx, patientId);
    await assertNoDuplicate(tx, ctx, added, inBody);
  });
  const synced = await syncSubscription(ctx, row.id, cause);
  return present(synced.row, synced.live);
}

/**
 * A date at the end of the period would make a dearer plan free until then, so patients cannot set how a change is
 * billed.
 */
function assertMaySetProration({ actor }: Context, input: UpdateSubscriptionInput): void {
  if (actor.kind !== 'patient') return;
  for (const field of ['proration', 'proration_date'] as const)
    if (input[field] !== undefined)
      throw apiError('forbidden', 'How a change is billed is for your clinic to say.', {
        source: { pointer: `/${field}` },
      });
}

/** Stripe: "at most two years from billing_cycle_anchor". */
const MAX_TRIAL = 730 * DAY;
const source = { pointer: '/trial_end' };

/** Only the clinic may change a trial, and no other change may be combined with it: that would change the bill. */
function assertMayChangeTrial({ actor }: Context, input: UpdateSubscriptionInput): void {
  if (input.trial_end === undefined) return;
  if (actor.kind === 'patient')
    throw apiError('forbidden', 'How long a trial runs is for your clinic to say.', { source });
  const others = Object.entries(input).find(
    ([name, value]) => !['id', 'trial_end'].includes(name) && value !== undefined,
  );
  if (others)
    throw apiError('invalid_parameter', 'Change the trial by itself, and the rest in another call.', { source });
}

type Running = { row: Subscription; live: StripeSubscription | null };

/**
 * Ends a trial now or moves its end; a cancellation one period after the trial moves with it. Ending a trial bills the
 * first period immediately, so there must be a card to charge.
 */
async function moveTrial(
  ctx: Context,
  { row, live }: Running,
  end: NonNullable<UpdateSubscriptionInput['trial_end']>,
): Promise<Synced> {
  if (!live) assertChangeable(row);
  if (!live || row.status !== 'trialing')
    if (end === 'now' && row.status === 'active' && row.trialEnd && row.trialEnd.getTime() > retriesSinceMs(ctx))
      // A retry after a lost response: the trial has just ended.
      return { row, live };
    else
      throw apiError('conflict', `This subscription is ${row.status}: only a trial that runs can be moved or ended.`, {
        source,
      });
  const at = end === 'now' ? end : wholeSecond(ctx, end);
  if (at !== 'now' && at.getTime() === row.trialEnd?.getTime()) return { row, live };
  const isFree = at === 'now' && !row.paymentMethod && (await isNothingDue(ctx, row));
  if (at === 'now' && !row.paymentMethod && !isFree)
    throw apiError('conflict', 'There is no card on file to charge: the patient has to save one first.', {
      people: 'There is no card on file yet. Send the patient the link to save one, then end the trial.',
      source,
    });
  const request = {
    action: 'subscriptions.update' as const,
    details: { trial: at === 'now' ? 'ended' : 'moved', trial_end: at === 'now' ? at : at.toISOString() },
    facts: ['trialEnd' as const],
  };
  const cause = await requestChange(ctx, row.id, request, () =>
    ctx.providers
      .stripeClient(ctx)
      .changes.moveTrial(row.accountId, row.id, at, { cancel: cancelWith(live, row, at), isFree })
      .catch((error: unknown) => {
        if (error instanceof StripeRejection && error.param === 'trial_end') throw outOfRangeError();
        throw error;
      }),
  );
  return syncSubscription(ctx, row.id, cause);
}

/** A discount may cover the whole bill; only Stripe knows for which products and how long. */
const isNothingDue = async (ctx: Context, { accountId, id, planPrice }: Subscription): Promise<boolean> =>
  planPrice === 0n ||
  (await ctx.providers.stripeClient(ctx).changes.nextBill(accountId, id, { trialOver: true })) === 0;

const retriesSinceMs = ({ clock }: Context): number => clock.now().getTime() - 10 * 60 * SECOND;
const outOfRangeError = () =>
  apiError('invalid_parameter', 'A trial ends in the future, two years ahead at most.', { source });

/** Stripe uses whole seconds. */
function wholeSecond({ clock }: Context, end: string): Date {
  const at = Math.floor(Date.parse(end) / SECOND) * SECOND;
  const now = clock.now().getTime();
  if (at <= now || at > now + MAX_TRIAL) throw outOfRangeError();
  return new Date(at);
}

/** `cancel_at_period_end` of a trial is stored at Stripe as an instant, one period after it. */
function cancelWith(live: StripeSubscription, row: Subscription, at: Date | 'now'): Date | 'period_end' | null {
  if (!row.cancelAtPeriodEnd || live.cancelAtPeriodEnd) return null;
  if (at === 'now') return 'period_end';
  return addIntervals(at, live.recurring.interval, live.recurring.interval_count);
}
