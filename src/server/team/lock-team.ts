import type { Context } from '../core/context.ts';
import type { Tx } from '../core/db.ts';
import { apiError } from '../core/errors.ts';
import { isActiveAdmin } from './policy.ts';

/** Serializes changes of the team, so that two admins cannot remove each other concurrently. */
export async function lockTeam(tx: Tx, ctx: Context): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`team:${ctx.tenantId}`}, 0))`;
}

/**
 * Called after the change and under the lock: at least one active admin must be left.
 * @throws `conflict`
 */
export async function requireAdminLeft(tx: Tx, ctx: Context): Promise<void> {
  const admins = await tx.staffUser.findMany({ where: { tenantId: ctx.tenantId, role: 'admin' } });
  if (!admins.some(isActiveAdmin)) throw apiError('conflict', 'This is the last active administrator.');
}
