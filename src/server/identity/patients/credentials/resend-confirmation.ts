import type { Wire } from '#sdk/protocol/endpoints.ts';
import type { Context, Services } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import type { RequestedBy } from '#server/messages/index.ts';
import { sendMessage } from '#server/messages/index.ts';
import { findPublicClient } from '../../applications/public-client.ts';
import { type Caller, describeRequest } from '../../verification/caller.ts';
import { countSend } from '../../verification/codes/count-send.ts';
import { issueCode } from '../../verification/codes/issue-code.ts';
import { lockPerson, personAt } from '../../verification/person.ts';
import type { Inputs } from '../inputs.ts';
import {
  invitationUrl,
  issueInvitation,
  makeTemporaryPassword,
  resendInvitationEmail,
  type TemporaryPassword,
} from '../invitation/issue-invitation.ts';
import { findPendingSignUp, pendingSignUpKeys } from '../sign-ups/pending-sign-up.ts';
import { findByEmail } from './find-by-email.ts';

/**
 * Mails another code to an unconfirmed sign-up on its own device, the invitation again to an invited patient, and a
 * notice to every other address. A temporary password is always generated, so that all cases take equally long; it
 * replaces an expired one.
 */
export async function resendConfirmation(
  services: Services,
  caller: Caller,
  input: Inputs['resend'],
): Promise<Wire['resend']['response']> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  const { email } = input;
  const lock = `${ctx.tenantId}:${email}`;
  // Count before scrypt: unauthenticated clients must not request it without limit, and it must not hold a connection.
  const send = await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, lock);
    return countSend(tx, ctx, { address: email, purpose: 'confirm', caller, input });
  });
  const temporary = await makeTemporaryPassword(ctx);
  await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, lock);
    const patient = await findByEmail(tx, ctx, email);
    const { srpIdentity = null, confirmedAt = null, temporaryUntil = null } = patient?.signIn ?? {};
    const unconfirmedId = patient && srpIdentity && !confirmedAt && !temporaryUntil ? patient.id : null;
    const pending = await extendPendingSignUp(tx, ctx, email, input.attempt);
    const patientId = unconfirmedId && pending?.patientId === unconfirmedId ? unconfirmedId : null;
    const person = personAt(email, input.attempt ?? '');
    const issued = await issueCode(tx, ctx, { purpose: 'confirm', person, patientId, clientId, send });
    const messageFields = { to: email, asked: describeRequest(ctx, caller) };
    if (patient && temporaryUntil)
      return sendInvitation(tx, ctx, {
        patientId: patient.id,
        email,
        clientId,
        temporary,
        request: messageFields.asked,
      });
    const notice = confirmedAt ? 'already_signed_up' : unconfirmedId ? 'sign_up_elsewhere' : 'no_account';
    if (!patientId || !pending) return sendMessage(tx, ctx, { kind: notice, ...messageFields });
    const asked = { device: pending.userAgent, at: pending.createdAt.toISOString() };
    return sendMessage(tx, ctx, { kind: 'confirmation_code', to: email, ...issued, asked });
  });
  return { resend_after: send.resend_after };
}

/** Extends the retention of this device's sign-up as if it had just been made. */
async function extendPendingSignUp(tx: Tx, ctx: Context, email: string, deviceSecret = '') {
  const { key } = pendingSignUpKeys(ctx, email, deviceSecret);
  await tx.signUpAttempt.updateMany({
    where: { tenantId: ctx.tenantId, key },
    data: { askedAt: ctx.clock.now() },
  });
  return findPendingSignUp(tx, ctx, { key });
}

type Invitation = {
  patientId: string;
  email: string;
  clientId: string;
  temporary: TemporaryPassword;
  request: RequestedBy;
};

/** The mailed password stays valid: a request by someone else must not revoke it. */
async function sendInvitation(
  tx: Tx,
  ctx: Context,
  { clientId, temporary, request, ...to }: Invitation,
): Promise<void> {
  const url = invitationUrl(ctx, clientId, to.patientId);
  if (await resendInvitationEmail(tx, ctx, { ...to, url, request })) return;
  await issueInvitation(tx, ctx, { ...to, url, temporary });
}
