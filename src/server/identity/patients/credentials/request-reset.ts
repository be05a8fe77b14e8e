import type { Wire } from '#sdk/protocol/endpoints.ts';
import type { Services } from '#server/core/context.ts';
import { NO_TENANT } from '#server/core/ids.ts';
import { sendMessage } from '#server/messages/index.ts';
import { findPublicClient } from '../../applications/public-client.ts';
import { type Caller, describeRequest } from '../../verification/caller.ts';
import { countSend } from '../../verification/codes/count-send.ts';
import { issueCode } from '../../verification/codes/issue-code.ts';
import { lockPerson, personAt } from '../../verification/person.ts';
import { isRecentlyRestored, pausedMessage } from '../address-changes/reset-requirement.ts';
import type { Inputs } from '../inputs.ts';
import { findByEmail } from './find-by-email.ts';

/**
 * Mails a code for a new password, valid on the requesting device. An address without an account gets a notice, so that
 * the response reveals nothing. An unconfirmed sign-up gets no code, because several sign-ups may share the address;
 * the email says to confirm or to sign up again.
 */
export async function requestReset(
  services: Services,
  caller: Caller,
  input: Inputs['reset'],
): Promise<Wire['reset']['response']> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  const { email } = input;
  return ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${ctx.tenantId}:${email}`);
    const send = await countSend(tx, ctx, { address: email, purpose: 'reset', caller, input });
    const patient = await findByEmail(tx, ctx, email);
    const { srpIdentity = null, confirmedAt = null, temporaryUntil = null, resetBy = null } = patient?.signIn ?? {};
    const isRestored = await isRecentlyRestored(tx, ctx, { patientId: patient?.id ?? NO_TENANT, email });
    const mayReset = srpIdentity && !resetBy && !isRestored && (confirmedAt || temporaryUntil);
    const patientId = patient && mayReset ? patient.id : null;
    const person = personAt(email, input.attempt);
    const target = patient?.signIn?.salt ?? '';
    const issued = await issueCode(tx, ctx, { purpose: 'reset', person, patientId, clientId, send, target });
    const messageFields = { to: email, asked: describeRequest(ctx, caller) };
    if (resetBy || isRestored) await sendMessage(tx, ctx, pausedMessage(email, resetBy ?? 'staff'));
    else if (patientId) await sendMessage(tx, ctx, { kind: 'reset_code', ...messageFields, ...issued });
    else await sendMessage(tx, ctx, { kind: srpIdentity ? 'confirm_first' : 'no_account', ...messageFields });
    return { resend_after: send.resend_after };
  });
}
