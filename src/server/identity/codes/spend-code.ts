import type { OneTimeCode } from '#generated/prisma/client.ts';
import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import type { Caller } from '../caller.ts';
import { keyedHash } from '../keyed-hash.ts';

/**
 * Takes the code out of use in the caller's transaction: `now`, or `before` when this very request (by its
 * Idempotency-Key) did so already and its answer was lost; null when it was used for something else.
 */
export async function spendCode(
  tx: Tx,
  ctx: Context,
  { id }: OneTimeCode,
  { idempotencyKey }: Pick<Caller, 'idempotencyKey'>,
): Promise<'now' | 'before' | null> {
  const usedFor = idempotencyKey && keyedHash(ctx, 'idempotency', id, idempotencyKey).toString('hex');
  const { count } = await tx.oneTimeCode.updateMany({
    where: { tenantId: ctx.tenantId, id, usedAt: null },
    data: { usedAt: ctx.clock.now(), usedFor },
  });
  if (count === 1) return 'now';
  if (!usedFor) return null;
  return (await tx.oneTimeCode.findUnique({ where: { id } }))?.usedFor === usedFor ? 'before' : null;
}
