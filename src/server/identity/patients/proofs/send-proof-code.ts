import type { Wire } from '#sdk/protocol/endpoints.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { sendMessage } from '#server/messages/index.ts';
import { type Caller, describeRequest } from '../../verification/caller.ts';
import { countSend } from '../../verification/codes/count-send.ts';
import { issueCode } from '../../verification/codes/issue-code.ts';
import { lockPerson, personAt } from '../../verification/person.ts';
import type { Inputs } from '../inputs.ts';
import { requireSession } from '../user/authorize.ts';

/**
 * Sends a code to the address that the patient signs in with: the email if there is a password, else the number. Each
 * session has its own, so that the holder of a stolen token takes none from the owner. It never goes to a mere contact,
 * which the holder of a token may have written.
 * @throws `conflict`, `rate_limited`, `proof_of_work_required`
 */
export async function sendProofCode(
  ctx: Context,
  input: Inputs['proofCode'],
  caller: Caller,
): Promise<Wire['proofCode']['response']> {
  const owner = requireSession(ctx);
  const { patientId, clientId } = owner;
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const { email, signIn } = await tx.patient.findUniqueOrThrow({
      where: { tenantId_id: { tenantId, id: patientId } },
      select: { email: true, signIn: { select: { srpIdentity: true, phoneNumber: true } } },
    });
    const address = signIn?.srpIdentity ? email : signIn?.phoneNumber;
    if (!address) throw apiError('conflict', 'There is no address that a code could go to.');
    await lockPerson(tx, `${tenantId}:${address}`);
    const send = await countSend(tx, ctx, { address, purpose: 'proof', caller, input });
    const person = personAt(patientId, owner.sessionId);
    const issued = await issueCode(tx, ctx, { purpose: 'proof', person, patientId, clientId, send, target: address });
    await sendMessage(tx, ctx, { kind: 'proof_code', to: address, ...issued, asked: describeRequest(ctx, caller) });
    await record(tx, ctx, {
      action: 'users.request_verification_code',
      object: { type: 'Patient', id: patientId },
      patientId,
    });
    return { resend_after: send.resend_after };
  });
}
