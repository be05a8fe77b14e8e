import type { OneTimeCode } from '#generated/prisma/client.ts';
import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';

/** Takes the code out of use in the caller's transaction. False when another request was faster. */
export async function spendCode(
  tx: Tx,
  ctx: Context,
  code: OneTimeCode,
  by: { usedFor?: string | null } = {},
): Promise<boolean> {
  const { count } = await tx.oneTimeCode.updateMany({
    where: { tenantId: ctx.tenantId, id: code.id, usedAt: null },
    data: { usedAt: ctx.clock.now(), usedFor: by.usedFor ?? null },
  });
  return count === 1;
}
