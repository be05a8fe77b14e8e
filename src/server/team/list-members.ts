import type { MemberView } from '#contract/team.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { presentMember, withTeamDetails } from './present-member.ts';

/** The clinic's team, by name; a team fits on one page. */
export async function listMembers(ctx: Context): Promise<MemberView[]> {
  requireAdmin(ctx.actor);
  const rows = await ctx.db.staffUser.findMany({
    where: { tenantId: ctx.tenantId },
    include: withTeamDetails,
    orderBy: [{ name: 'asc' }, { email: 'asc' }],
  });
  return rows.map(presentMember);
}
