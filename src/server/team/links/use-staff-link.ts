import type { Role } from '#contract/settings.ts';
import type { OpenStaffLinkInput, StaffLinkView, UseStaffLinkInput } from '#contract/team.ts';
import { checkNewPassword, endPortalLockout, hashPassword, setStaffPassword } from '#server/identity/index.ts';
import { type Context, contextFor } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import { record } from '../../core/record.ts';
import { findStaffLink, type LinkPurpose, linkExpired } from './staff-link.ts';

/**
 * Sets a password with a link, once: an invited user joins the team; a user who forgot theirs gets a new one, and still
 * needs the second step. It also unlocks sign-in for new devices.
 * @throws `expired_code`, `invalid_parameter` at the password
 */
export async function useStaffLink(visitor: Context, { token, name, password }: UseStaffLinkInput): Promise<void> {
  const { tenantId } = visitor;
  const { user, purpose } = await findStaffLink(visitor, token);
  checkNewPassword(password, user.email);
  const passwordHash = await hashPassword(password);
  // The holder of the link acts as its user.
  const ctx = contextFor(visitor, { kind: user.role as Role, tenantId, userId: user.id }, visitor);
  await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.staffLink.deleteMany({ where: { tenantId, tokenHash: sha256(token) } });
    if (count === 0) throw linkExpired();
    if (purpose === 'reset') {
      await setStaffPassword(tx, ctx, user, { passwordHash, action: 'account.reset_password' });
      return;
    }
    await tx.staffUser.update({
      where: { tenantId_id: { tenantId, id: user.id } },
      data: { passwordHash, ...(name && { name }) },
    });
    await record(tx, ctx, { action: 'team.join', object: { type: 'StaffUser', id: user.id } });
  });
  await endPortalLockout(ctx, user.email, ctx.ip ?? '');
}

/**
 * Returns the content of the page behind a link without using it up. The token is the only credential.
 * @throws `expired_code`
 */
export async function openStaffLink(ctx: Context, { token }: OpenStaffLinkInput): Promise<StaffLinkView> {
  const { user, purpose } = await findStaffLink(ctx, token);
  const tenant = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId }, select: { name: true } });
  return { purpose: purpose as LinkPurpose, email: user.email, name: user.name, clinic: tenant.name };
}
