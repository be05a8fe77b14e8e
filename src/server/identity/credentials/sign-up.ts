import type { Services } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { sendMessage } from '../../messages/send-message.ts';
import type { Caller } from '../caller.ts';
import { countSend } from '../codes/count-send.ts';
import { issueCode } from '../codes/issue-code.ts';
import { lockPerson } from '../codes/lock-person.ts';
import { findPublicClient } from '../find-public-client.ts';
import type { Inputs } from '../inputs.ts';
import { planSignUp } from '../plan-sign-up.ts';
import { registerPatient } from '../register-patient.ts';
import { refuseWeak } from '../srp/refuse-weak.ts';
import { registrationColumns } from '../srp/verifier.ts';
import type { Attempt } from './take-attempt.ts';

/**
 * Creates a patient with a password and mails a code. The owner of an address that has a patient already is told so by
 * mail, and nobody else. One who has not confirmed yet may choose again: that attempt is kept with its code, and counts
 * when the code is told. So a stranger who signs up with an address overwrites nothing of its owner's, and a password
 * never opens what was written with another.
 */
export async function signUp(services: Services, caller: Caller, input: Inputs['signUp']): Promise<void> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  const { email, srp } = input;
  const plan = await planSignUp(ctx, { email }, input.attributes);
  await refuseWeak(ctx, caller, srp, { email });
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${email}`);
    const { id: sendId } = await countSend(tx, ctx, { address: email, purpose: 'confirm', caller, given: input });
    const existing = await tx.patient.findUnique({
      where: { tenantId_email: { tenantId, email } },
      select: { id: true, archivedAt: true, signIn: true },
    });
    const newcomer = newId(ctx.clock.now());
    const signIn = registrationColumns(ctx, newcomer, srp);
    await registerPatient(tx, ctx, { id: newcomer, plan, signIn, clientId, isTaken: existing !== null });
    const { confirmedAt, temporaryUntil, srpIdentity } = existing?.signIn ?? {};
    const isWaiting = srpIdentity && !confirmedAt && !temporaryUntil && !existing?.archivedAt;
    const patientId = existing ? (isWaiting ? existing.id : null) : newcomer;
    const attempt: Attempt = { srp, attributes: input.attributes };
    const target = patientId ? JSON.stringify(attempt) : undefined;
    const wanted = { purpose: 'confirm', person: email, patientId, clientId, sendId, target } as const;
    const issued = await issueCode(tx, ctx, wanted);
    if (patientId) await sendMessage(tx, ctx, { kind: 'confirmation_code', to: email, ...issued });
    else await sendMessage(tx, ctx, { kind: existing?.signIn ? 'already_signed_up' : 'email_in_use', to: email });
  });
}
