import type { Services } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

/** The key that leads to the tenants that have something to send. */
export const AWAITED = 'visit_messages';

const lockKey = (tenantId: string) => `messages_awaited:${tenantId}`;

/** Something is planned in the caller's transaction: until that is sent, the clinic is asked every minute whether it is due. */
export async function noteAwaited(tx: Tx, tenantId: string): Promise<void> {
  // Held until that is committed, so that nobody who does not see it yet takes the clinic off.
  await tx.$executeRaw`select pg_advisory_xact_lock_shared(hashtextextended(${lockKey(tenantId)}, 0))`;
  await tx.tenantRoute.createMany({ data: [{ key: AWAITED, tenantId }], skipDuplicates: true });
}

/** The clinic is asked no more if it has nothing to send, and nobody plans something right now. */
export async function forgetAwaited({ database }: Pick<Services, 'database'>, tenantId: string): Promise<void> {
  await database.forTenant(tenantId).$transaction(async (tx) => {
    const [lock] = await tx.$queryRaw<{ held: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended(${lockKey(tenantId)}, 0)) as held`;
    if (!lock?.held) return;
    const where = { tenantId, state: { in: ['planned', 'sending'] } };
    if ((await tx.visitMessage.findFirst({ where, select: { id: true } })) !== null) return;
    await tx.tenantRoute.deleteMany({ where: { tenantId, key: AWAITED } });
  });
}
