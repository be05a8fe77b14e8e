import type { OneTimeCode } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';
import type { Caller } from '../caller.ts';
import { answerSend } from './answer-send.ts';

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
  const { count } = await tx.oneTimeCode.updateMany({
    where: { tenantId: ctx.tenantId, id, usedAt: null },
    data: { usedAt: ctx.clock.now(), usedFor },
  });
  if (count === 1) {
    await answerSend(tx, ctx, sendId);
    return 'now';
  }
  if (!usedFor) return null;
  return (await tx.oneTimeCode.findUnique({ where: { id } }))?.usedFor === usedFor ? 'before' : null;
}
