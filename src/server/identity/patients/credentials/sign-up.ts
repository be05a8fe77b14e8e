import type { Wire } from '#sdk/protocol/endpoints.ts';
import type { Services } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { sendMessage } from '#server/messages/index.ts';
import { CARE_COLUMNS } from '#server/patients/index.ts';
import { findPublicClient } from '../../applications/public-client.ts';
import { rejectWeakPassword } from '../../srp/reject-weak-password.ts';
import { registrationColumns } from '../../srp/verifier.ts';
import { type Caller, describeRequest } from '../../verification/caller.ts';
import { countSend } from '../../verification/codes/count-send.ts';
import { issueCode } from '../../verification/codes/issue-code.ts';
import { lockPerson, personAt } from '../../verification/person.ts';
import type { Inputs } from '../inputs.ts';
import { planSignUp, registerPatient } from '../register-patient.ts';
import { isUnconfirmed, pendingSignUpKeys, storePendingSignUp } from '../sign-ups/pending-sign-up.ts';

/**
 * Creates a patient with a password and mails a code. The owner of a taken address gets an email; the response does not
 * reveal it. Until confirmation, each device has its own sign-up with its own code; the one whose code is used takes
 * effect, with its password and attributes. So a sign-up by someone else overwrites nothing of the owner's, takes no
 * code from them, and never opens their data.
 */
export async function signUp(
  services: Services,
  caller: Caller,
  input: Inputs['signUp'],
): Promise<Wire['signUp']['response']> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  const { email, srp, attributes } = input;
  const plan = await planSignUp(ctx, { email }, attributes);
  await rejectWeakPassword(ctx, caller, srp, { email, queue: 'newcomers' });
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${email}`);
    const send = await countSend(tx, ctx, { address: email, purpose: 'confirm', caller, input });
    const existing = await tx.patient.findUnique({
      where: { tenantId_email: { tenantId, email } },
      select: { ...CARE_COLUMNS, id: true, status: true, signIn: true },
    });
    const newPatientId = newId(ctx.clock.now());
    const signIn = registrationColumns(ctx, newPatientId, srp);
    await registerPatient(tx, ctx, { id: newPatientId, plan, signIn, clientId, isTaken: existing !== null });
    const isPending = existing?.signIn?.srpIdentity && isUnconfirmed({ ...existing.signIn, patient: existing });
    const patientId = existing ? (isPending ? existing.id : null) : newPatientId;
    const content = { srp, attributes };
    const madeRecord = existing === null;
    const keys = pendingSignUpKeys(ctx, email, input.attempt);
    await storePendingSignUp(tx, ctx, caller, { ...keys, patientId, clientId, content, madeRecord });
    const person = personAt(email, input.attempt);
    const issued = await issueCode(tx, ctx, { purpose: 'confirm', person, patientId, clientId, send });
    const messageFields = { to: email, asked: describeRequest(ctx, caller) };
    if (patientId) await sendMessage(tx, ctx, { kind: 'confirmation_code', ...messageFields, ...issued });
    else
      await sendMessage(tx, ctx, { kind: existing?.signIn ? 'already_signed_up' : 'email_in_use', ...messageFields });
    return { resend_after: send.resend_after };
  });
}
