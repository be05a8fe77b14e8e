import type { MemberIdInput, MemberView } from '#contract/team.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { apiError } from '../core/errors.ts';
import { record } from '../core/record.ts';
import { endStaffSessions } from '../identity/staff/end-staff-sessions.ts';
import { deleteKnownDevices } from '../identity/verification/known-device.ts';
import {
  isActiveAdmin,
  isInvited,
  loadMember,
  lockTeam,
  presentMember,
  requireAdminLeft,
  requireNotSelf,
} from './member.ts';

/**
 * Disables another member: ends their sessions within a second and blocks sign-in; their past actions keep their name.
 * @throws `not_found`; `conflict` for the caller, the last admin and an invited member, whose invitation is withdrawn
 * instead
 */
export async function disableMember(ctx: Context, { id }: MemberIdInput): Promise<MemberView> {
  requireAdmin(ctx.actor);
  requireNotSelf(ctx.actor, id);
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await lockTeam(tx, ctx);
    const member = await loadMember(tx, ctx, id);
    if (isInvited(member)) throw apiError('conflict', 'They have not joined yet; withdraw the invitation instead.');
    if (member.disabledAt) return presentMember(member);
    const disabledAt = ctx.clock.now();
    await tx.staffUser.update({ where: { tenantId_id: { tenantId, id } }, data: { disabledAt } });
    if (isActiveAdmin(member)) await requireAdminLeft(tx, ctx);
    await tx.staffLink.deleteMany({ where: { tenantId, userId: id } });
    await deleteKnownDevices(tx, ctx, { staffUserId: id });
    await endStaffSessions(tx, ctx, { userId: id }, 'disabled');
    await record(tx, ctx, { action: 'team.disable', object: { type: 'StaffUser', id } });
    return presentMember({ ...member, disabledAt });
  });
}
