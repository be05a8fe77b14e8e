import type { ChangePasswordInput } from '#contract/team.ts';
import type { Context } from '../../core/context.ts';
import { confirmPassword, wrongPassword } from '../../identity/staff/confirm-password.ts';
import { hashPassword, newPasswordErrors } from '../../identity/staff/password.ts';
import { setStaffPassword } from '../../identity/staff/set-staff-password.ts';
import { requireOwnAccount } from '../member.ts';

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
  const setting = { passwordHash, action, except: sessionId, proved: user.passwordHash } as const;
  const isSet = await ctx.db.$transaction((tx) => setStaffPassword(tx, ctx, user, setting));
  if (!isSet) throw wrongPassword('current_password');
}
