import type { OpenStaffLinkInput, StaffLinkView } from '#contract/team.ts';
import type { Context } from '../../core/context.ts';
import { findStaffLink, type LinkPurpose } from './staff-link.ts';

/**
 * Returns the content of the page behind a link without using it up. The token is the only credential.
 * @throws `expired_code`
 */
export async function openStaffLink(ctx: Context, { token }: OpenStaffLinkInput): Promise<StaffLinkView> {
  const { user, purpose } = await findStaffLink(ctx, token);
  const tenant = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId }, select: { name: true } });
  return { purpose: purpose as LinkPurpose, email: user.email, name: user.name, clinic: tenant.name };
}
