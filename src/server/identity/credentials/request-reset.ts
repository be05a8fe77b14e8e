import type { Services } from '../../core/context.ts';
import { sendMessage } from '../../messages/send-message.ts';
import type { Caller } from '../caller.ts';
import { countSend } from '../codes/count-send.ts';
import { issueCode } from '../codes/issue-code.ts';
import { lockPerson } from '../codes/lock-person.ts';
import { findPublicClient } from '../find-public-client.ts';
import type { Inputs } from '../inputs.ts';
import { findByEmail } from './find-by-email.ts';

/** Mails a code for a new password; to an address without one that there is none, so that mails tell nobody either. */
export async function requestReset(services: Services, caller: Caller, input: Inputs['reset']): Promise<void> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  const { email } = input;
  await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${ctx.tenantId}:${email}`);
    const { id: sendId } = await countSend(tx, ctx, { address: email, purpose: 'reset', caller, given: input });
    const patient = await findByEmail(tx, ctx, email);
    const patientId = patient?.signIn?.srpIdentity ? patient.id : null;
    const issued = await issueCode(tx, ctx, { purpose: 'reset', person: email, patientId, clientId, sendId });
    if (patientId) await sendMessage(tx, ctx, { kind: 'reset_code', to: email, ...issued });
    else await sendMessage(tx, ctx, { kind: 'no_account', to: email });
  });
}
