import type { InviteMemberInput, MemberIdInput, MemberView } from '#contract/team.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { Prisma } from '../core/db.ts';
import { apiError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { record } from '../core/record.ts';
import { staffRoute } from '../identity/verification/person.ts';
import { issueStaffLink } from './links/staff-link.ts';
import { alreadyJoined, loadMember, presentMember, requireInvited } from './member.ts';

/**
 * Adds a member who joins by an emailed link within seven days.
 * @throws `email_taken`
 */
export async function inviteMember(ctx: Context, { email, name, role }: InviteMemberInput): Promise<MemberView> {
  requireAdmin(ctx.actor);
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const id = newId(now);
  const write = ctx.db.$transaction(async (tx) => {
    await tx.staffUser.create({ data: { id, tenantId, email, name, role, createdAt: now } });
    await tx.tenantRoute.create({ data: { key: staffRoute(email), tenantId } });
    await issueStaffLink(tx, ctx, { id, email }, 'invitation');
    await record(tx, ctx, { action: 'team.invite', object: { type: 'StaffUser', id }, details: { role } });
    return presentMember(await loadMember(tx, ctx, id));
  });
  return write.catch((error) => {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')
      throw apiError('email_taken', 'A team member with this email already exists.', {
        source: { pointer: '/email' },
      });
    throw error;
  });
}

/**
 * Mails a new link, valid for seven days; the previous one stops working.
 * @throws `not_found`; `conflict` for a member who has joined
 */
export async function resendInvitation(ctx: Context, { id }: MemberIdInput): Promise<MemberView> {
  requireAdmin(ctx.actor);
  return ctx.db.$transaction(async (tx) => {
    const member = await loadMember(tx, ctx, id);
    requireInvited(member);
    await issueStaffLink(tx, ctx, member, 'invitation');
    await record(tx, ctx, { action: 'team.resend_invitation', object: { type: 'StaffUser', id } });
    return presentMember(await loadMember(tx, ctx, id));
  });
}

/**
 * Withdraws an invitation: its link stops working, and the user is deleted.
 * @throws `not_found`; `conflict` for a member who has joined
 */
export async function withdrawInvitation(ctx: Context, { id }: MemberIdInput): Promise<void> {
  requireAdmin(ctx.actor);
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    const member = await loadMember(tx, ctx, id);
    requireInvited(member);
    const { count } = await tx.staffUser.deleteMany({ where: { tenantId, id, passwordHash: null } });
    if (count === 0) throw alreadyJoined();
    await tx.tenantRoute.deleteMany({ where: { key: staffRoute(member.email), tenantId } });
    await record(tx, ctx, { action: 'team.withdraw_invitation', object: { type: 'StaffUser', id } });
  });
}
