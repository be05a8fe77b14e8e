import type { Role } from '#contract/roles.ts';
import type { AccountView, ChangePasswordInput, RenameInput } from '#contract/team.ts';
import {
  confirmPassword,
  endStaffSessions,
  hashPassword,
  newPasswordErrors,
  setStaffPassword,
  wrongPassword,
} from '#server/identity/index.ts';
import { isStaff, isTwoStepRequired } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { record } from '../../core/record.ts';
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
      required: !isStaff(ctx.actor) || isTwoStepRequired(ctx.config, ctx.actor.permissions),
    },
  };
}

/** Changes the name that colleagues see. */
export async function renameAccount(ctx: Context, { name }: RenameInput): Promise<void> {
  const { userId } = requireOwnAccount(ctx.actor);
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    await tx.staffUser.update({ where: { tenantId_id: { tenantId, id: userId } }, data: { name } });
    await record(tx, ctx, { action: 'account.rename', object: { type: 'StaffUser', id: userId } });
  });
}

/**
 * Changes the caller's own password; all other sessions end.
 * @throws `invalid_parameter` at a field, `rate_limited`
 */
export async function changePassword(ctx: Context, input: ChangePasswordInput): Promise<void> {
  const { userId, sessionId } = requireOwnAccount(ctx.actor);
  const user = await confirmPassword(ctx, userId, input.current_password, {
    field: 'current_password',
    validateRest: ({ email }) => newPasswordErrors(input.new_password, email, 'new_password'),
  });
  const passwordHash = await hashPassword(input.new_password);
  const action = 'account.change_password';
  const setting = { passwordHash, action, except: sessionId, expectedHash: user.passwordHash } as const;
  const isSet = await ctx.db.$transaction((tx) => setStaffPassword(tx, ctx, user, setting));
  if (!isSet) throw wrongPassword('current_password');
}

/** Ends all of the caller's sessions, including this one. */
export async function signOutEverywhere(ctx: Context): Promise<void> {
  const { userId } = requireOwnAccount(ctx.actor);
  await ctx.db.$transaction(async (tx) => {
    await endStaffSessions(tx, ctx, { userId }, 'signed_out');
    await record(tx, ctx, { action: 'account.sign_out_everywhere', object: { type: 'StaffUser', id: userId } });
  });
}
