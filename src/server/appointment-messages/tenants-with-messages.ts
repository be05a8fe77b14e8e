import type { Services } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

/** Route key of the tenants with messages to send. */
export const TENANTS_WITH_MESSAGES = 'visit_messages';

const lockKey = (tenantId: string) => `messages_awaited:${tenantId}`;

/**
 * Registers the tenant, which is then queried every minute until its messages are sent. Runs in the caller's
 * transaction.
 */
export async function addTenantWithMessages(tx: Tx, tenantId: string): Promise<void> {
  // Held until commit, so that a concurrent removal that does not see the rows cannot remove the tenant.
  await tx.$executeRaw`select pg_advisory_xact_lock_shared(hashtextextended(${lockKey(tenantId)}, 0))`;
  await tx.tenantRoute.createMany({ data: [{ key: TENANTS_WITH_MESSAGES, tenantId }], skipDuplicates: true });
}

/** Removes the tenant when it has no messages to send and no transaction is planning any. */
export async function removeTenantWithoutMessages(
  { database }: Pick<Services, 'database'>,
  tenantId: string,
): Promise<void> {
  await database.forTenant(tenantId).$transaction(async (tx) => {
    const [lock] = await tx.$queryRaw<{ held: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended(${lockKey(tenantId)}, 0)) as held`;
    if (!lock?.held) return;
    const where = { tenantId, state: { in: ['planned', 'sending'] } };
    if ((await tx.visitMessage.findFirst({ where, select: { id: true } })) !== null) return;
    await tx.tenantRoute.deleteMany({ where: { tenantId, key: TENANTS_WITH_MESSAGES } });
  });
}
