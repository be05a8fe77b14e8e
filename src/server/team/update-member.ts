import type { Role } from '#contract/roles.ts';
import type { ChangeRoleInput, MemberIdInput, MemberView } from '#contract/team.ts';
import { deleteKnownDevices, endStaffSessions, removeTwoStep } from '#server/identity/index.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { apiError } from '../core/errors.ts';
import { record } from '../core/record.ts';
import {
  isActiveAdmin,
  isInvited,
  loadMember,
  lockTeam,
  presentMember,
  requireAdminLeft,
  requireHeld,
  requireNotSelf,
} from './member.ts';

/**
 * Changes another member's role, who then has to sign in again.
 * @throws `not_found`; `forbidden` above the caller's own permissions; `conflict` for the caller and the last admin
 */
export async function changeRole(ctx: Context, { id, role }: ChangeRoleInput): Promise<MemberView> {
  requireAdmin(ctx.actor, 'team:manage');
  requireNotSelf(ctx.actor, id);
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await lockTeam(tx, ctx);
    const member = await loadMember(tx, ctx, id);
    await requireHeld(tx, ctx, member.role as Role);
    await requireHeld(tx, ctx, role);
    if (member.role === role) return presentMember(member);
    await tx.staffUser.update({ where: { tenantId_id: { tenantId, id } }, data: { role } });
    if (isActiveAdmin(member)) await requireAdminLeft(tx, ctx);
    await endStaffSessions(tx, ctx, { userId: id }, 'role_changed');
    const details = { from: member.role, role };
    await record(tx, ctx, { action: 'team.change_role', object: { type: 'StaffUser', id }, details });
    return presentMember({ ...member, role });
  });
}

/**
 * Disables another member: ends their sessions within a second and blocks sign-in; their past actions keep their name.
 * @throws `not_found`; `conflict` for the caller, the last admin and an invited member, whose invitation is withdrawn
 * instead
 */
export async function disableMember(ctx: Context, { id }: MemberIdInput): Promise<MemberView> {
  requireAdmin(ctx.actor, 'team:manage');
  requireNotSelf(ctx.actor, id);
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await lockTeam(tx, ctx);
    const member = await loadMember(tx, ctx, id);
    await requireHeld(tx, ctx, member.role as Role);
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

/**
 * Lets a disabled member sign in again, with the previous password and second step.
 * @throws `not_found`
 */
export async function enableMember(ctx: Context, { id }: MemberIdInput): Promise<MemberView> {
  requireAdmin(ctx.actor, 'team:manage');
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await lockTeam(tx, ctx);
    const member = await loadMember(tx, ctx, id);
    await requireHeld(tx, ctx, member.role as Role);
    if (!member.disabledAt) return presentMember(member);
    await tx.staffUser.update({ where: { tenantId_id: { tenantId, id } }, data: { disabledAt: null } });
    await record(tx, ctx, { action: 'team.enable', object: { type: 'StaffUser', id } });
    return presentMember({ ...member, disabledAt: null });
  });
}

/**
 * Turns two-step sign-in off for another member who lost their device and recovery codes. They sign in by password
 * only; in production an admin has to set it up again.
 * @throws `not_found`; `conflict` for the caller and where it is off
 */
export async function resetMemberTwoStep(ctx: Context, { id }: MemberIdInput): Promise<MemberView> {
  requireAdmin(ctx.actor, 'team:manage');
  requireNotSelf(ctx.actor, id);
  return ctx.db.$transaction(async (tx) => {
    await lockTeam(tx, ctx);
    const member = await loadMember(tx, ctx, id);
    await requireHeld(tx, ctx, member.role as Role);
    if (!member.twoStep?.turnedOnAt) throw apiError('conflict', 'Two-step sign-in is off already.');
    await removeTwoStep(tx, ctx, member, { action: 'team.reset_two_step' });
    return presentMember({ ...member, twoStep: null });
  });
}
