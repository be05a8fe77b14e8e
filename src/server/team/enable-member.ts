import type { MemberIdInput, MemberView } from '#contract/team.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { record } from '../core/record.ts';
import { loadMember, presentMember } from './member.ts';

/**
 * Lets a disabled member sign in again, with the previous password and second step.
 * @throws `not_found`
 */
export async function enableMember(ctx: Context, { id }: MemberIdInput): Promise<MemberView> {
  requireAdmin(ctx.actor);
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const member = await loadMember(tx, ctx, id);
    if (!member.disabledAt) return presentMember(member);
    await tx.staffUser.update({ where: { tenantId_id: { tenantId, id } }, data: { disabledAt: null } });
    await record(tx, ctx, { action: 'team.enable', object: { type: 'StaffUser', id } });
    return presentMember({ ...member, disabledAt: null });
  });
}
