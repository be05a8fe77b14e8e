import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';

/** How a change at Stripe was found without a webhook: in the list of events, by a comparison, or by a read. */
export type FoundBy = 'events' | 'comparison' | 'reading';

/** Records a repair of a change that no webhook reported, in the transaction of the repair. */
export async function recordStripeRepair(
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

/** Records a repair of a change that no webhook reported, in the transaction of the repair. */
export async function recordSchedulingRepair(
  tx: Tx,
  ctx: Context,
  repair: { accountId: string; objectId: string; what: string },
): Promise<void> {
  const now = ctx.clock.now();
  const { tenantId } = ctx;
  await tx.schedulingRepair.create({ data: { id: newId(now), tenantId, ...repair, createdAt: now } });
  await tx.schedulingReconcile.upsert({
    where: { tenantId_accountId: { tenantId, accountId: repair.accountId } },
    create: { tenantId, accountId: repair.accountId, repaired: 1 },
    update: { repaired: { increment: 1 } },
  });
}
