import type { Role } from '#contract/settings.ts';
import type { PasswordInput } from '#contract/team.ts';
import type { Context } from '../../core/context.ts';
import { apiError } from '../../core/errors.ts';
import { confirmPassword } from '../../identity/staff/confirm-password.ts';
import { isTwoStepRequired } from '../../identity/staff/staff-actor.ts';
import { removeTwoStep } from '../../identity/staff/two-step/two-step.ts';
import { requireOwnAccount } from '../member.ts';

const ALWAYS_ON = 'Administrators sign in with two steps here; you can replace the app instead.';

/**
 * Turns two-step sign-in off, where that is allowed.
 * @throws `forbidden`; errors of `confirmPassword`
 */
export async function turnOffTwoStep(ctx: Context, { password }: PasswordInput): Promise<void> {
  const { userId, sessionId } = requireOwnAccount(ctx.actor);
  const user = await confirmPassword(ctx, userId, password);
  if (isTwoStepRequired(ctx.config, user.role as Role)) throw apiError('forbidden', ALWAYS_ON, { people: ALWAYS_ON });
  await ctx.db.$transaction((tx) =>
    removeTwoStep(tx, ctx, user, { action: 'account.turn_off_two_step', except: sessionId }),
  );
}
