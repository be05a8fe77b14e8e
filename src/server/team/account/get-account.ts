import type { Role } from '#contract/settings.ts';
import type { AccountView } from '#contract/team.ts';
import type { Context } from '../../core/context.ts';
import { isTwoStepRequired } from '../../identity/staff/staff-actor.ts';
import { requireOwnAccount } from '../member.ts';

/** Reads the caller's own account. */
export async function getAccount(ctx: Context): Promise<AccountView> {
  const { userId } = requireOwnAccount(ctx.actor);
  const { tenantId } = ctx;
  const user = await ctx.db.staffUser.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id: userId } },
    include: { twoStep: true, _count: { select: { recoveryCodes: { where: { usedAt: null } } } } },
  });
  const role = user.role as Role;
  return {
    name: user.name,
    email: user.email,
    role,
    two_step: {
      turned_on_at: user.twoStep?.turnedOnAt?.toISOString() ?? null,
      recovery_codes_left: user._count.recoveryCodes,
      required: isTwoStepRequired(ctx.config, role),
    },
  };
}
