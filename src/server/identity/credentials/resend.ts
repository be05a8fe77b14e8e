import type { Services } from '../../core/context.ts';
import { sendMessage } from '../../messages/send-message.ts';
import type { Caller } from '../caller.ts';
import { countSend } from '../codes/count-send.ts';
import { issueCode } from '../codes/issue-code.ts';
import { lockPerson } from '../codes/lock-person.ts';
import { findPublicClient } from '../find-public-client.ts';
import type { Inputs } from '../inputs.ts';
import { invitationUrl } from '../invitation/invitation-url.ts';
import { issueInvitation, makeTemporaryPassword } from '../invitation/issue-invitation.ts';
import { findByEmail } from './find-by-email.ts';

/**
 * Mails another code to who has yet to confirm, another invitation to who was invited, and to anybody else that there
 * is nothing to confirm. A temporary password is made for all of them, so that each takes as long.
 */
export async function resend(services: Services, caller: Caller, input: Inputs['resend']): Promise<void> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  const { email } = input;
  const url = invitationUrl(ctx, clientId);
  const person = `${ctx.tenantId}:${email}`;
  // Counted before the stretching, which strangers must not be able to ask for without end, and which holds no connection.
  const { id: sendId } = await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, person);
    return countSend(tx, ctx, { address: email, purpose: 'confirm', caller, given: input });
  });
  const temporary = await makeTemporaryPassword();
  await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, person);
    const patient = await findByEmail(tx, ctx, email);
    const { srpIdentity = null, confirmedAt = null, temporaryUntil = null } = patient?.signIn ?? {};
    const patientId = patient && srpIdentity && !confirmedAt && !temporaryUntil ? patient.id : null;
    const wanted = { purpose: 'confirm', person: email, patientId, clientId, sendId, keepsTarget: true } as const;
    const issued = await issueCode(tx, ctx, wanted);
    if (patient && temporaryUntil) await issueInvitation(tx, ctx, { patientId: patient.id, email, url, temporary });
    else if (patientId) await sendMessage(tx, ctx, { kind: 'confirmation_code', to: email, ...issued });
    else await sendMessage(tx, ctx, { kind: 'no_account', to: email });
  });
}
