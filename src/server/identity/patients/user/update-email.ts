import type { Wire } from '#sdk/protocol/endpoints.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { sendMessage } from '#server/messages/index.ts';
import { type Caller, describeRequest } from '../../verification/caller.ts';
import { countSend } from '../../verification/codes/count-send.ts';
import { issueCode } from '../../verification/codes/issue-code.ts';
import { lockPerson } from '../../verification/person.ts';
import { isAddressTaken } from '../address-changes/release-address.ts';
import type { Inputs } from '../inputs.ts';
import { authorizeChange, pendingChangeKey } from './authorize.ts';

/**
 * Mails a code to the new address. If another patient has it, that patient gets an email instead; the response does not
 * reveal it.
 * @throws `proof_required`, `forbidden`, `rate_limited`, `proof_of_work_required`
 */
export async function updateEmail(
  ctx: Context,
  { email, proof_of_work, ...shown }: Inputs['updateEmail'],
  caller: Caller,
): Promise<Wire['updateEmail']['response']> {
  const author = await authorizeChange(ctx, shown);
  const { patientId, clientId, by } = author;
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${email}`);
    const request = { address: email, purpose: 'email', caller, input: { proof_of_work } } as const;
    const send = await countSend(tx, ctx, request);
    const isTaken = await isAddressTaken(tx, ctx, { patientId, email });
    const issued = await issueCode(tx, ctx, {
      purpose: 'email',
      person: pendingChangeKey(author),
      patientId: isTaken ? null : patientId,
      clientId,
      send,
      target: email,
    });
    const asked = describeRequest(ctx, caller);
    if (isTaken) await sendMessage(tx, ctx, { kind: 'email_in_use', to: email, asked });
    else await sendMessage(tx, ctx, { kind: 'email_code', to: email, patientId, asked, ...issued });
    const object = { type: 'Patient', id: patientId };
    await record(tx, ctx, { action: 'users.request_email_change', object, patientId, details: { by } });
    return { resend_after: send.resend_after };
  });
}
