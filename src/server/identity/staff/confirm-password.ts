import type { Context } from '../../core/context.ts';
import { CarelaneError, type Fault, invalidParameter, notFound } from '../../core/errors.ts';
import { clearFailures, countFailure } from '../verification/failures.ts';
import { personKey } from '../verification/person.ts';
import { verifyPassword } from './password.ts';

type ConfirmOptions = {
  field?: string;
  /** Validates the rest of the request, so that one response reports all errors. */
  validateRest?: (user: { email: string }) => Fault[];
};

/**
 * Verifies the password of a signed-in staff user again, so that an unattended or stolen session cannot change how the
 * user signs in.
 * @throws `invalid_parameter` at the field, `rate_limited` after five wrong passwords
 */
export async function confirmPassword(
  ctx: Context,
  userId: string,
  password: string,
  { field = 'password', validateRest = () => [] }: ConfirmOptions = {},
) {
  const user = await ctx.db.staffUser.findFirst({ where: { tenantId: ctx.tenantId, id: userId } });
  if (!user) throw notFound('user');
  const key = personKey(ctx, `staff-password\n${userId}`);
  await countFailure(ctx, key);
  const isRight = await verifyPassword(ctx, user.passwordHash, password);
  if (isRight) await clearFailures(ctx, key);
  const errors = [...(isRight ? [] : wrongPassword(field).faults), ...validateRest(user)];
  if (errors.length > 0) throw new CarelaneError(errors);
  return user;
}

export const wrongPassword = (field: string) => invalidParameter(field, 'This is not your password.');
