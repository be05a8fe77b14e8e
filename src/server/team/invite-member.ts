import type { InviteMemberInput, MemberView } from '#contract/team.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { Prisma } from '../core/db.ts';
import { apiError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { record } from '../core/record.ts';
import { staffRoute } from '../identity/verification/person.ts';
import { issueStaffLink } from './links/staff-link.ts';
import { loadMember, presentMember } from './member.ts';

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
