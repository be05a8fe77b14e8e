import type { Context } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import { apiError } from '../../core/errors.ts';

/**
 * Finds the link of a token, with its user.
 * @throws `expired_code` if it is unknown, used, replaced, expired, or of a disabled user
 */
export async function findStaffLink(ctx: Context, token: string) {
  const link = await ctx.db.staffLink.findFirst({
    where: {
      tenantId: ctx.tenantId,
      tokenHash: sha256(token),
      expiresAt: { gt: ctx.clock.now() },
      user: { disabledAt: null },
    },
    include: { user: true },
  });
  if (!link) throw linkExpired();
  return link;
}

export const linkExpired = () =>
  apiError('expired_code', 'This link was used already, replaced by a newer one, or is too old.');
