import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { endIfTooLate } from '#server/patients/queue-end-of-care.ts';
import type { ProcessorSubscription } from '#server/providers/stripe.ts';
import { hasEnded } from '../records/policy.ts';
import { presentSubscription } from '../records/present-subscription.ts';
import { subscriptionColumns } from '../records/subscription-columns.ts';
import { toData } from './sync-subscription.ts';

export type Owner = { accountId: string; patientId: string; createdByClientId: string | null; intentId: string | null };

/**
 * Takes a processor subscription into our records and closes the intent it came from. False when it was there already;
 * then nothing is written but the intent.
 */
export async function adoptSubscription(ctx: Context, live: ProcessorSubscription, owner: Owner): Promise<boolean> {
  const { accountId, patientId, createdByClientId, intentId } = owner;
  const now = ctx.clock.now();
  return ctx.db.$transaction(async (tx) => {
    if (intentId)
      await tx.subscriptionIntent.updateMany({
        where: { tenantId: ctx.tenantId, id: intentId, patientId },
        data: { status: 'done', subscriptionId: live.id },
      });
    const facts = subscriptionColumns(live);
    const [row] = await tx.subscription.createManyAndReturn({
      data: [
        {
          ...toData(facts),
          id: live.id,
          tenantId: ctx.tenantId,
          accountId,
          patientId,
          createdByClientId,
          createdAt: now,
          updatedAt: now,
        },
      ],
      skipDuplicates: true,
    });
    if (!row) return false;
    const payload = presentSubscription(ctx, row);
    const about = { object: { type: 'Subscription', id: row.id }, patientId, payload, isNews: true as const };
    await record(tx, ctx, {
      ...about,
      action: 'subscriptions.create',
      event: 'subscription.created',
      details: { price_ids: payload.price_ids, status: row.status },
    });
    if (row.status === 'active' || row.status === 'trialing')
      await record(tx, ctx, { ...about, action: 'subscriptions.activate', event: 'subscription.activated' });
    if (!hasEnded(row)) await endIfTooLate(tx, ctx, patientId);
    return true;
  });
}
