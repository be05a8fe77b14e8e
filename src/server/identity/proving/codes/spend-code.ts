import type { OneTimeCode } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';
import type { Caller } from '../caller.ts';

/**
 * Takes the code out of use in the caller's transaction: `now`, or `before` when this very request (by its
 * Idempotency-Key) did so already and its answer was lost; null when it was used for something else. It ends the waits of
 * the device that asked for it.
 */
export async function spendCode(
  tx: Tx,
  ctx: Context,
  { id, sendId }: OneTimeCode,
  { idempotencyKey }: Pick<Caller, 'idempotencyKey'>,
): Promise<'now' | 'before' | null> {
  const usedFor = idempotencyKey && keyedHash(ctx, 'idempotency', id, idempotencyKey).toString('hex');
  const { tenantId } = ctx;
  const usedAt = ctx.clock.now();
  // One message's code may stand in several rows, and works once: whoever comes first takes all of them, in one order.
  if (sendId)
    await tx.$queryRaw`
      select id from one_time_codes where tenant_id = ${tenantId}::uuid and send_id = ${sendId}::uuid order by id for update`;
  const { count } = await tx.oneTimeCode.updateMany({
    where: { tenantId, id, usedAt: null },
    data: { usedAt, usedFor },
  });
  if (count === 1) {
    if (sendId) await tx.oneTimeCode.updateMany({ where: { tenantId, sendId, usedAt: null }, data: { usedAt } });
    await answerSend(tx, ctx, sendId);
    return 'now';
  }
  if (!usedFor) return null;
  return (await tx.oneTimeCode.findUnique({ where: { id } }))?.usedFor === usedFor ? 'before' : null;
}

/**
 * A code that was told was wanted, also when it was told too late: it ends the waits of the device that asked for it,
 * whatever for, and nobody else's.
 */
export async function answerSend(db: Pick<Tx, '$executeRaw'>, ctx: Context, sendId: string | null): Promise<void> {
  if (!sendId) return;
  await db.$executeRaw`
    update code_sends c set answered_at = ${ctx.clock.now()}::timestamptz from code_sends told
    where told.tenant_id = ${ctx.tenantId}::uuid and told.id = ${sendId}::uuid and c.tenant_id = told.tenant_id
      and c.person = told.person and c.answered_at is null and c.known = told.known
      and (told.known or c.source = told.source)`;
}
