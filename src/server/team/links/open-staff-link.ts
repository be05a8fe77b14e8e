import type { OpenStaffLinkInput, StaffLinkView } from '#contract/team.ts';
import type { Context } from '../../core/context.ts';
import { findStaffLink } from './find-staff-link.ts';
import type { LinkPurpose } from './issue-staff-link.ts';

/** What the page behind a link shows; opening it does not use it up. The link's token is the only credential. Error: expired_code. */
export async function openStaffLink(ctx: Context, { token }: OpenStaffLinkInput): Promise<StaffLinkView> {
  const { user, purpose } = await findStaffLink(ctx, token);
  const tenant = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId }, select: { name: true } });
  return { purpose: purpose as LinkPurpose, email: user.email, name: user.name, clinic: tenant.name };
}
