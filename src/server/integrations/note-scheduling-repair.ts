import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';

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
