import type { OneTimeCode } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { keyedHash } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import type { Caller } from '../caller.ts';

/**
 * Marks a code as used in the caller's transaction and ends the waits of the device that requested it.
 * @returns `now`; `before` if the same request (by Idempotency-Key) used it already and its response was lost; null if
 * another request used it
 */
export async function consumeCode(
  tx: Tx,
  ctx: Context,
  { id, sendId }: OneTimeCode,
  { idempotencyKey }: Pick<Caller, 'idempotencyKey'>,
): Promise<'now' | 'before' | null> {
  const usedFor = idempotencyKey && keyedHash(ctx, 'idempotency', id, idempotencyKey).toString('hex');
  const { tenantId } = ctx;
  const usedAt = ctx.clock.now();
  // The code of one message may stand in several rows and works once: lock all of them in a fixed order.
  if (sendId)
    await tx.$queryRaw`
      select id from one_time_codes where tenant_id = ${tenantId}::uuid and send_id = ${sendId}::uuid order by id for update`;
  const { count } = await tx.oneTimeCode.updateMany({
    where: { tenantId, id, usedAt: null },
    data: { usedAt, usedFor },
  });
  if (count === 1) {
    if (sendId) await tx.oneTimeCode.updateMany({ where: { tenantId, sendId, usedAt: null }, data: { usedAt } });
    await markSendUsed(tx, ctx, sendId);
    return 'now';
  }
  if (!usedFor) return null;
  return (await tx.oneTimeCode.findUnique({ where: { id } }))?.usedFor === usedFor ? 'before' : null;
}

/**
 * Ends the waits of the device that requested a code, for all purposes, once the code is presented, also when it has
 * expired. Other devices keep theirs.
 */
export async function markSendUsed(db: Pick<Tx, '$executeRaw'>, ctx: Context, sendId: string | null): Promise<void> {
  if (!sendId) return;
  await db.$executeRaw`
    update code_sends c set answered_at = ${ctx.clock.now()}::timestamptz from code_sends used
    where used.tenant_id = ${ctx.tenantId}::uuid and used.id = ${sendId}::uuid and c.tenant_id = used.tenant_id
      and c.person = used.person and c.answered_at is null and c.known = used.known
      and (used.known or c.source = used.source)`;
}
