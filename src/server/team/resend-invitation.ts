import type { MemberIdInput, MemberView } from '#contract/team.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { record } from '../core/record.ts';
import { issueStaffLink } from './links/staff-link.ts';
import { loadMember, presentMember, requireInvited } from './member.ts';

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
