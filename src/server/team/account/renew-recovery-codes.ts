import type { PasswordInput, RecoveryCodesView } from '#contract/team.ts';
import type { Context } from '../../core/context.ts';
import { apiError } from '../../core/errors.ts';
import { record } from '../../core/record.ts';
import { confirmPassword } from '../../identity/staff/confirm-password.ts';
import { issueRecoveryCodes } from '../../identity/staff/two-step/two-step.ts';
import { requireOwnAccount } from '../member.ts';

/**
 * Replaces the recovery codes with ten new ones.
 * @throws `conflict` while two-step sign-in is off; errors of `confirmPassword`
 */
export async function renewRecoveryCodes(ctx: Context, { password }: PasswordInput): Promise<RecoveryCodesView> {
  const { userId } = requireOwnAccount(ctx.actor);
  const { tenantId } = ctx;
  await confirmPassword(ctx, userId, password);
  return ctx.db.$transaction(async (tx) => {
    const on = await tx.staffTwoStep.count({ where: { tenantId, userId, turnedOnAt: { not: null } } });
    if (on === 0) throw apiError('conflict', 'Two-step sign-in is off.');
    const recovery_codes = await issueRecoveryCodes(tx, ctx, userId);
    await record(tx, ctx, { action: 'account.renew_recovery_codes', object: { type: 'StaffUser', id: userId } });
    return { recovery_codes };
  });
}
