import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';

/** How a difference to Stripe was found that no webhook had told of: in its list of events, by comparing, or by a reading. */
export type FoundBy = 'events' | 'comparison' | 'reading';

/** Keeps that something was put right here because no webhook had told of it, in the transaction that put it right. */
export async function noteRepair(
  tx: Tx,
  ctx: Context,
  repair: { accountId: string; objectId: string; foundBy: FoundBy; what: string },
): Promise<void> {
  const now = ctx.clock.now();
  const { tenantId } = ctx;
  await tx.stripeRepair.create({ data: { id: newId(now), tenantId, ...repair, createdAt: now } });
  await tx.stripeReconcile.upsert({
    where: { tenantId_accountId: { tenantId, accountId: repair.accountId } },
    create: { tenantId, accountId: repair.accountId, repaired: 1 },
    update: { repaired: { increment: 1 } },
  });
}
