import type { MemberIdInput } from '#contract/team.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { record } from '../core/record.ts';
import { staffRoute } from '../identity/verification/person.ts';
import { alreadyJoined, loadMember, requireInvited } from './member.ts';

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
