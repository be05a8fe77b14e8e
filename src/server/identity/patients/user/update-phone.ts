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
import { parseUsNumber } from '../parse-us-number.ts';
import { authorizeChange, pendingChangeKey } from './authorize.ts';

/**
 * Texts a code to the new number. If another patient signs in with it, that patient gets a text message instead.
 * @throws `proof_required`, `forbidden`, `rate_limited`, `proof_of_work_required`, `phone_number_not_supported`
 */
export async function updatePhone(
  ctx: Context,
  { phone_number, proof_of_work, ...shown }: Inputs['updatePhone'],
  caller: Caller,
): Promise<Wire['updatePhone']['response']> {
  const author = await authorizeChange(ctx, shown);
  const { patientId, clientId, by } = author;
  const phoneNumber = parseUsNumber(phone_number);
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${phoneNumber}`);
    const request = { address: phoneNumber, purpose: 'phone', caller, input: { proof_of_work } } as const;
    const send = await countSend(tx, ctx, request);
    const isTaken = await isAddressTaken(tx, ctx, { patientId, phoneNumber });
    const issued = await issueCode(tx, ctx, {
      purpose: 'phone',
      person: pendingChangeKey(author),
      patientId: isTaken ? null : patientId,
      clientId,
      send,
      target: phoneNumber,
    });
    const asked = describeRequest(ctx, caller);
    if (isTaken) await sendMessage(tx, ctx, { kind: 'phone_in_use', to: phoneNumber, asked });
    else await sendMessage(tx, ctx, { kind: 'phone_code', to: phoneNumber, patientId, asked, ...issued });
    const object = { type: 'Patient', id: patientId };
    await record(tx, ctx, { action: 'users.request_phone_change', object, patientId, details: { by } });
    return { resend_after: send.resend_after };
  });
}
