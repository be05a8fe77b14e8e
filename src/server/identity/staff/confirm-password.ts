import type { Context } from '../../core/context.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { clearFailures, countFailure } from '../proving/failures.ts';
import { personKey } from '../proving/person.ts';
import { verifyPassword } from './password.ts';

/**
 * Asks a signed-in staff member for their password once more, so that a session that was left open or taken cannot
 * change how they sign in. Errors: invalid_parameter at the field, rate_limited after five wrong ones.
 */
export async function confirmPassword(ctx: Context, userId: string, password: string, field = 'password') {
  const user = await ctx.db.staffUser.findFirst({ where: { tenantId: ctx.tenantId, id: userId } });
  if (!user) throw notFound('user');
  const key = personKey(ctx, `staff-password\n${userId}`);
  await countFailure(ctx, key);
  if (!(await verifyPassword(ctx, user.passwordHash, password))) throw invalid(field, 'This is not your password.');
  await clearFailures(ctx, key);
  return user;
}
