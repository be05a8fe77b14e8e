import type { ChangeRoleInput, MemberView } from '#contract/team.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { record } from '../core/record.ts';
import { endStaffSessions } from '../identity/staff/end-staff-sessions.ts';
import { isActiveAdmin, loadMember, lockTeam, presentMember, requireAdminLeft, requireNotSelf } from './member.ts';

/**
 * Changes another member's role, who then has to sign in again.
 * @throws `not_found`; `conflict` for the caller and the last admin
 */
export async function changeRole(ctx: Context, { id, role }: ChangeRoleInput): Promise<MemberView> {
  requireAdmin(ctx.actor);
  requireNotSelf(ctx.actor, id);
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await lockTeam(tx, ctx);
    const member = await loadMember(tx, ctx, id);
    if (member.role === role) return presentMember(member);
    await tx.staffUser.update({ where: { tenantId_id: { tenantId, id } }, data: { role } });
    if (isActiveAdmin(member)) await requireAdminLeft(tx, ctx);
    await endStaffSessions(tx, ctx, { userId: id }, 'role_changed');
    await record(tx, ctx, { action: 'team.change_role', object: { type: 'StaffUser', id }, details: { role } });
    return presentMember({ ...member, role });
  });
}
