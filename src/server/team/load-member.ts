import type { Context } from '../core/context.ts';
import type { Tx } from '../core/db.ts';
import { notFound } from '../core/errors.ts';
import { type MemberRow, withTeamDetails } from './present-member.ts';

/**
 * Reads a member of the caller's own team.
 * @throws `not_found`
 */
export async function loadMember(tx: Pick<Tx, 'staffUser'>, ctx: Context, id: string): Promise<MemberRow> {
  const row = await tx.staffUser.findFirst({ where: { tenantId: ctx.tenantId, id }, include: withTeamDetails });
  if (!row) throw notFound('member of the team');
  return row;
}
