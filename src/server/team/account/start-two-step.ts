import type { PasswordInput, TwoStepKeyView } from '#contract/team.ts';
import type { Context } from '../../core/context.ts';
import { confirmPassword } from '../../identity/staff/confirm-password.ts';
import { newTotpSecret, secretBoundTo, totpUri } from '../../identity/staff/two-step/two-step.ts';
import { requireOwnAccount } from '../member.ts';

/**
 * Creates a new key for an authenticator app. The previous key stays valid until a code of the new one arrives.
 * @throws `invalid_parameter` at the password, `rate_limited`
 */
export async function startTwoStep(ctx: Context, { password }: PasswordInput): Promise<TwoStepKeyView> {
  const { userId } = requireOwnAccount(ctx.actor);
  const { tenantId } = ctx;
  const user = await confirmPassword(ctx, userId, password);
  const { name } = await ctx.db.tenant.findUniqueOrThrow({ where: { id: tenantId }, select: { name: true } });
  const secret = newTotpSecret();
  const pendingSecret = ctx.cipher.seal(secret, secretBoundTo(tenantId, userId));
  await ctx.db.staffTwoStep.upsert({
    where: { tenantId_userId: { tenantId, userId } },
    create: { tenantId, userId, pendingSecret },
    update: { pendingSecret },
  });
  const issuer = ctx.config.environment === 'sandbox' ? `${name} (sandbox)` : name;
  return { secret, uri: totpUri(secret, { issuer, label: user.email }) };
}
