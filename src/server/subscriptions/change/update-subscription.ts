import type { UpdateSubscriptionInput } from '#contract/subscription-changes.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { assertInCare } from '#server/patients/in-care.ts';
import { loadPatientFor } from '#server/patients/load-patient.ts';
import { inBody } from '#server/plans/find-plans.ts';
import { stripeChangesOf } from '#server/providers/stripe-changes.ts';
import { hasEnded, loadSubscription, maySeeSecrets, presentSubscription } from '../records/subscription.ts';
import { askFor } from '../sync/asked-change.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';
import { assertChangeable, planChange, prorationOf, refusedChange } from './plan-change.ts';

/**
 * Changes what a subscription consists of, or calls off its scheduled end. Asking for what is so already changes nothing,
 * so the same request again gives the same answer. What has ended is 409 `already_canceled`.
 */
export async function updateSubscription(ctx: Context, input: UpdateSubscriptionInput): Promise<SubscriptionView> {
  requireScope(ctx.actor, 'subscriptions:write');
  assertBillingIsTheirs(ctx, input);
  const known = await loadSubscription(ctx, input.id);
  assertInCare(await loadPatientFor(ctx, known.patientId));
  if (hasEnded(known)) assertChangeable(known);
  const { row, live } = await syncSubscription(ctx, known.id);
  const show = (from: typeof row, secrets: typeof live) =>
    presentSubscription(ctx, from, maySeeSecrets(ctx.actor, from) ? secrets : null);
  const items = await planChange(ctx, row, input, inBody);
  const isUndone = input.cancel_at_period_end === false && row.cancelAt !== null;
  if (!live || items.length > 0 || isUndone) assertChangeable(row);
  if (!live || (items.length === 0 && !isUndone)) return show(row, live);

  const proration = items.length > 0 ? await prorationOf(ctx, input.proration) : 'none';
  const prorationDate = input.proration_date ? new Date(input.proration_date) : null;
  const undo = isUndone ? (live.cancelAtPeriodEnd ? 'period_end' : 'instant') : null;
  const wanted = {
    action: 'subscriptions.update',
    details: {
      ...(items.length > 0 && { price_ids: input.price_ids, quantities: input.quantities, proration }),
      ...(isUndone && { undone: true }),
    },
    facts: [...(items.length > 0 ? ['items' as const] : []), ...(isUndone ? ['cancelAt' as const] : [])],
  };
  const change = { items, proration, prorationDate, undo } as const;
  const cause = await askFor(ctx, row.id, wanted, () =>
    stripeChangesOf(ctx)
      .change(row.accountId, row.id, change)
      .catch((error: unknown) => refusedChange(error, inBody)),
  );
  const synced = await syncSubscription(ctx, row.id, cause);
  return show(synced.row, synced.live);
}

/** A moment at the period's end would make a dearer plan free until then: what a patient changes is billed as the clinic has set it. */
function assertBillingIsTheirs({ actor }: Context, input: UpdateSubscriptionInput): void {
  if (actor.kind !== 'patient') return;
  for (const field of ['proration', 'proration_date'] as const)
    if (input[field] !== undefined)
      throw refuse('forbidden', 'How a change is billed is for your clinic to say.', {
        source: { pointer: `/${field}` },
      });
}
