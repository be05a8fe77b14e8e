import type { PatientSignIn } from '#generated/prisma/client.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { readableCode } from '#server/core/ids.ts';
import type { RequestedBy } from '#server/messages/index.ts';
import { sendMessage } from '#server/messages/index.ts';
import { configurationToken } from '../../applications/public-client.ts';
import type { Registration } from '../../srp/registration.ts';
import { registerPassword, registrationColumns } from '../../srp/verifier.ts';
import { failureKeys } from '../../verification/failures.ts';
import { personKey } from '../../verification/person.ts';
import { invitationLinkToken } from './open-invitation-link.ts';
import { recordInvitation } from './sent-invitations.ts';

const LIFETIME = 7 * DAY;
/** About 79 bits. */
const TEMPORARY_PASSWORD_GROUPS = 4;

export type TemporaryPassword = { password: string; srp: Registration };

/** Slow by design (scrypt), so call it before the transaction that uses it. */
export async function makeTemporaryPassword(ctx: Pick<Context, 'identity'>): Promise<TemporaryPassword> {
  const password = readableCode(TEMPORARY_PASSWORD_GROUPS);
  return { password, srp: await registerPassword(ctx, password) };
}

/** `address`: the page of the clinic's app that it links to; undefined leaves the stored one. */
type Invitation = {
  patientId: string;
  email: string;
  url: string;
  temporary: TemporaryPassword;
  address?: string | null;
};

const boundTo = (tenantId: string, patientId: string) => `patient_sign_ins/${tenantId}/${patientId}/invitation`;

/** Decrypts the temporary password stored in `patient_sign_ins.invitation`. */
export const openInvitation = (ctx: Context, patientId: string, sealed: Uint8Array): string =>
  ctx.cipher.open(sealed, boundTo(ctx.tenantId, patientId));

/** Replaces any password with a temporary one for seven days and mails it with the link. */
export async function issueInvitation(
  tx: Tx,
  ctx: Context,
  { patientId, email, url, temporary, address }: Invitation,
): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const until = new Date(now.getTime() + LIFETIME);
  const columns = {
    ...registrationColumns(ctx, patientId, temporary.srp),
    temporaryUntil: until,
    invitation: ctx.cipher.seal(temporary.password, boundTo(tenantId, patientId)),
    updatedAt: now,
    ...(address !== undefined && { invitationUrl: address }),
  };
  const signIn = await tx.patientSignIn.upsert({
    where: { tenantId_patientId: { tenantId, patientId } },
    create: { ...columns, tenantId, patientId, createdAt: now },
    update: columns,
  });
  await tx.signInStep.deleteMany({ where: { tenantId, patientId } });
  await recordInvitation(tx, ctx, { patientId, to: email, expiresAt: until });
  // Earlier guesses were at another password or none; reset the lockout.
  const { unknownDevicesInRow } = failureKeys(ctx, personKey(ctx, email), { ip: '', device: null });
  await tx.signInFailure.deleteMany({ where: { tenantId, key: unknownDevicesInRow } });
  await sendMessage(tx, ctx, {
    kind: kindOf(signIn),
    to: email,
    code: temporary.password,
    url,
    address: signIn.invitationUrl,
    until: until.toISOString(),
  });
}

/**
 * Mails a pending invitation unchanged, with the same password and expiry, so that the request revokes nothing. Returns
 * false if it has expired.
 */
export async function resendInvitationEmail(
  tx: Tx,
  ctx: Context,
  { patientId, email, url, request }: Omit<Invitation, 'temporary' | 'address'> & { request: RequestedBy },
): Promise<boolean> {
  const { tenantId } = ctx;
  const signIn = await tx.patientSignIn.findUnique({ where: { tenantId_patientId: { tenantId, patientId } } });
  if (!signIn?.temporaryUntil || signIn.temporaryUntil <= ctx.clock.now() || !signIn.invitation) return false;
  const code = openInvitation(ctx, patientId, signIn.invitation);
  const until = signIn.temporaryUntil.toISOString();
  const address = signIn.invitationUrl;
  await sendMessage(tx, ctx, { kind: kindOf(signIn), to: email, code, url, address, until, asked: request });
  return true;
}

/** A patient who has signed in before gets the email for sign-in help. */
const kindOf = ({ confirmedAt }: Pick<PatientSignIn, 'confirmedAt'>) => (confirmedAt ? 'email_helped' : 'invitation');

/**
 * Builds the link to the page that completes an invitation. The fragment, which no server log sees, configures the SDK
 * and identifies the invitation without personal data.
 */
export const invitationUrl = (ctx: Context, clientId: string, patientId: string): string => {
  const parts = [configurationToken(ctx, 'credentials', clientId), invitationLinkToken(ctx, patientId)];
  return `${ctx.config.publicUrl}/invitation#${parts.join('~')}`;
};
