import type { MemberIdInput, MemberView } from '#contract/team.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { apiError } from '../core/errors.ts';
import { removeTwoStep } from '../identity/staff/two-step/two-step.ts';
import { loadMember, presentMember, requireNotSelf } from './member.ts';

/**
 * Turns two-step sign-in off for another member who lost their device and recovery codes. They sign in by password
 * only; in production an admin has to set it up again.
 * @throws `not_found`; `conflict` for the caller and where it is off
 */
export async function resetMemberTwoStep(ctx: Context, { id }: MemberIdInput): Promise<MemberView> {
  requireAdmin(ctx.actor);
  requireNotSelf(ctx.actor, id);
  return ctx.db.$transaction(async (tx) => {
    const member = await loadMember(tx, ctx, id);
    if (!member.twoStep?.turnedOnAt) throw apiError('conflict', 'Two-step sign-in is off already.');
    await removeTwoStep(tx, ctx, member, { action: 'team.reset_two_step' });
    return presentMember({ ...member, twoStep: null });
  });
}
