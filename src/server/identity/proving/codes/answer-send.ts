import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

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
