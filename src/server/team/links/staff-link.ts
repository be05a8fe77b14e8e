import type { Role } from '#contract/roles.ts';
import type { OpenStaffLinkInput, StaffLinkView, UseStaffLinkInput } from '#contract/team.ts';
import {
  checkNewPassword,
  endPortalLockout,
  hashPassword,
  lockPerson,
  openStaffReset,
  setStaffPassword,
  staffRoute,
} from '#server/identity/index.ts';
import { sendMessage } from '#server/messages/index.ts';
import { actorOfStaff } from '../../core/actor.ts';
import { DAY, MINUTE } from '../../core/clock.ts';
import { type Context, contextFor, type Services, systemContext } from '../../core/context.ts';
import { keyedHash, sha256 } from '../../core/crypto.ts';
import type { Tx } from '../../core/db.ts';
import { apiError } from '../../core/errors.ts';
import { tokenOfTenant } from '../../core/ids.ts';
import type { Jobs } from '../../core/jobs.ts';
import { record } from '../../core/record.ts';

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
  const ctx = contextFor(visitor, actorOfStaff({ role: user.role as Role, tenantId, userId: user.id }), visitor);
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

/**
 * Finds the link of a token, with its user.
 * @throws `expired_code` if it is unknown, used, replaced, expired, or of a disabled user
 */
async function findStaffLink(ctx: Context, token: string) {
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

const linkExpired = () =>
  apiError('expired_code', 'This link was used already, replaced by a newer one, or is too old.');

type LinkPurpose = 'invitation' | 'reset';

const LIFETIME: Record<LinkPurpose, number> = { invitation: 7 * DAY, reset: 60 * MINUTE };
/** The token is in the fragment, which no server or log sees. */
const PAGE: Record<LinkPurpose, string> = { invitation: '/join#', reset: '/reset-password#' };
const MESSAGE = { invitation: 'staff_invitation', reset: 'staff_reset' } as const;

/** A link with at least this remaining lifetime is mailed again rather than replaced. */
const MIN_REMAINING_MS = 15 * MINUTE;

/**
 * Mails the one live link of this purpose; only the token's hash is stored. A new invitation replaces the previous one.
 * A reset, which any client may request, is mailed again unchanged, so that a request cannot revoke the link that its
 * owner is using.
 */
export async function issueStaffLink(
  tx: Tx,
  ctx: Context,
  user: { id: string; email: string },
  purpose: LinkPurpose,
): Promise<void> {
  const { tenantId } = ctx;
  await lockPerson(tx, `${tenantId}:${user.id}`);
  const link =
    (purpose === 'reset' && (await findReset(tx, ctx, user.id))) || (await createLink(tx, ctx, user.id, purpose));
  const url = `${ctx.config.publicUrl}${PAGE[purpose]}${link.token}`;
  const message = { kind: MESSAGE[purpose], staffUserId: user.id, to: user.email };
  await sendMessage(tx, ctx, { ...message, url, until: link.expiresAt.toISOString() });
}

type Link = { token: string; expiresAt: Date };

/** Derived, so that it can be mailed again without being stored. */
const tokenOf = (ctx: Context, userId: string, purpose: LinkPurpose, createdAt: Date): string =>
  tokenOfTenant(
    ctx.tenantId,
    keyedHash(ctx, 'staff-links', ctx.tenantId, userId, purpose, createdAt.toISOString()).toString('base64url'),
  );

async function findReset(tx: Tx, ctx: Context, userId: string): Promise<Link | null> {
  const { tenantId } = ctx;
  const expiresAt = { gt: new Date(ctx.clock.now().getTime() + MIN_REMAINING_MS) };
  const link = await tx.staffLink.findFirst({ where: { tenantId, userId, purpose: 'reset', expiresAt } });
  const token = link && tokenOf(ctx, userId, 'reset', link.createdAt);
  return token && sha256(token) === link.tokenHash ? { token, expiresAt: link.expiresAt } : null;
}

async function createLink(tx: Tx, ctx: Context, userId: string, purpose: LinkPurpose): Promise<Link> {
  const { tenantId } = ctx;
  const createdAt = ctx.clock.now();
  const token = tokenOf(ctx, userId, purpose, createdAt);
  const expiresAt = new Date(createdAt.getTime() + LIFETIME[purpose]);
  const values = { tokenHash: sha256(token), expiresAt, createdAt };
  await tx.staffLink.upsert({
    where: { tenantId_userId_purpose: { tenantId, userId, purpose } },
    create: { tenantId, userId, purpose, ...values },
    update: values,
  });
  return { token, expiresAt };
}

/**
 * Job: mails a reset link to the users with this email, one for each clinic. It runs after the response, so that the
 * response does not reveal whether the address has an account.
 */
export async function sendStaffReset(services: Services, job: Jobs['send_staff_reset']): Promise<void> {
  const email = openStaffReset(services, job);
  for (const tenantId of await services.database.tenantsOf(staffRoute(email))) {
    const ctx = systemContext(services, tenantId, 'send_staff_reset');
    const where = { tenantId, email, disabledAt: null, passwordHash: { not: null } };
    const user = await ctx.db.staffUser.findFirst({ where });
    if (!user) continue;
    await ctx.db.$transaction(async (tx) => {
      await issueStaffLink(tx, ctx, user, 'reset');
      await record(tx, ctx, { action: 'account.request_reset', object: { type: 'StaffUser', id: user.id } });
    });
  }
}
