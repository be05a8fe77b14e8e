import type { Context } from '../core/context.ts';
import type { Tx } from '../core/db.ts';
import { refuse } from '../core/errors.ts';
import { isActiveAdmin } from './policy.ts';

/** One change of who runs the clinic at a time, so that two administrators cannot remove each other at once. */
export async function lockTeam(tx: Tx, ctx: Context): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`team:${ctx.tenantId}`}, 0))`;
}

/** After the change and under the lock: somebody must be left who can run the clinic. Error: conflict. */
export async function requireAdminLeft(tx: Tx, ctx: Context): Promise<void> {
  const admins = await tx.staffUser.findMany({ where: { tenantId: ctx.tenantId, role: 'admin' } });
  if (!admins.some(isActiveAdmin)) throw refuse('conflict', 'This is the last active administrator.');
}
