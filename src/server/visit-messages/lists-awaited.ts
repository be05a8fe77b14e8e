import type { Tx } from '#server/core/db.ts';

/** The key that leads to the tenants where somebody wants their visits of each day by mail. */
export const LISTS = 'daily_lists';

/** One at a time for each clinic, so that nobody takes it off whom another is just putting on. */
const lock = (tx: Tx, tenantId: string): Promise<unknown> =>
  tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`daily_lists:${tenantId}`}, 0))`;

export async function noteLists(tx: Tx, tenantId: string): Promise<void> {
  await lock(tx, tenantId);
  await tx.tenantRoute.createMany({ data: [{ key: LISTS, tenantId }], skipDuplicates: true });
}

/** The clinic is asked no more where nobody wants one, and none is on its way. */
export async function forgetLists(tx: Tx, tenantId: string): Promise<void> {
  await lock(tx, tenantId);
  const where = { tenantId, OR: [{ dueAt: { not: null } }, { state: 'sending' }] };
  if ((await tx.dailyList.findFirst({ where, select: { userId: true } })) !== null) return;
  await tx.tenantRoute.deleteMany({ where: { tenantId, key: LISTS } });
}
