import type { MemberView } from '#contract/team.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { presentMember, withTeamDetails } from './member.ts';

/** Lists the clinic's team by name, with the number of upcoming appointments. A team fits on one page. */
export async function listMembers(ctx: Context): Promise<MemberView[]> {
  requireAdmin(ctx.actor);
  const rows = await ctx.db.staffUser.findMany({
    where: { tenantId: ctx.tenantId },
    include: withTeamDetails,
    orderBy: [{ name: 'asc' }, { email: 'asc' }],
  });
  const now = ctx.clock.now();
  const counts = await ctx.db.appointment.groupBy({
    by: ['practitionerId'],
    where: { tenantId: ctx.tenantId, practitionerId: { not: null }, status: 'scheduled', endAt: { gt: now } },
    _count: true,
  });
  const upcoming = new Map(counts.map((count) => [count.practitionerId, count._count]));
  return rows.map((row) => ({ ...presentMember(row), upcoming_visits: upcoming.get(row.id) ?? 0 }));
}
