import type { Tx } from '#server/core/db.ts';

/** Route key of the tenants with staff users who get a daily list. */
export const TENANTS_WITH_LISTS = 'daily_lists';

/** Serializes per tenant, so that a removal cannot race with a new subscription. */
const lock = (tx: Tx, tenantId: string): Promise<unknown> =>
  tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`daily_lists:${tenantId}`}, 0))`;

export async function addTenantWithLists(tx: Tx, tenantId: string): Promise<void> {
  await lock(tx, tenantId);
  await tx.tenantRoute.createMany({ data: [{ key: TENANTS_WITH_LISTS, tenantId }], skipDuplicates: true });
}

/** Removes the tenant when no staff user is subscribed and no list is being sent. */
export async function removeTenantWithoutLists(tx: Tx, tenantId: string): Promise<void> {
  await lock(tx, tenantId);
  const where = { tenantId, OR: [{ dueAt: { not: null } }, { state: 'sending' }] };
  if ((await tx.dailyList.findFirst({ where, select: { userId: true } })) !== null) return;
  await tx.tenantRoute.deleteMany({ where: { tenantId, key: TENANTS_WITH_LISTS } });
}
