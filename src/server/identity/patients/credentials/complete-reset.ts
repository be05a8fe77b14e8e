import type { Services } from '#server/core/context.ts';
import { findPublicClient } from '../../applications/public-client.ts';
import { rejectWeakPassword } from '../../srp/reject-weak-password.ts';
import type { Caller } from '../../verification/caller.ts';
import { consumeCode } from '../../verification/codes/consume-code.ts';
import { openTarget } from '../../verification/codes/issue-code.ts';
import { invalidCode, verifyCode } from '../../verification/codes/verify-code.ts';
import { clearLockout } from '../../verification/failures.ts';
import { deleteKnownDevices } from '../../verification/known-device.ts';
import { personAt, personKey } from '../../verification/person.ts';
import { asPatient } from '../../verification/request-context.ts';
import { confirmSignIn } from '../confirm-sign-in.ts';
import type { Inputs } from '../inputs.ts';
import { setPassword } from '../set-password.ts';

/**
 * Sets a new password with the mailed code; ends all sessions and removes all known devices. It also completes an
 * invitation, which goes to the same address. A repeated request (same Idempotency-Key) returns the same.
 * @throws `invalid_parameter` at the verifier, `invalid_code`, `expired_code`, `too_many_tries`
 */
export async function completeReset(services: Services, caller: Caller, input: Inputs['completeReset']): Promise<void> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  const codeKey = { purpose: 'reset', person: personAt(input.email, input.attempt) } as const;
  const code = await verifyCode(ctx, codeKey, input.code, { clientId, revealsState: false });
  const { patientId } = code;
  await rejectWeakPassword(ctx, caller, input.srp, { email: input.email, queue: 'verified' });
  await ctx.db.$transaction(async (tx) => {
    const consumed = patientId && (await consumeCode(tx, ctx, code, caller));
    if (!consumed) throw invalidCode();
    if (consumed === 'before') return;
    // A code mailed while the address was being replaced went to one that is no longer the patient's.
    const owner = { tenantId: ctx.tenantId, id: patientId, email: input.email };
    if ((await tx.patient.count({ where: owner })) === 0) throw invalidCode();
    const patientCtx = asPatient(ctx, patientId, clientId);
    // If another password was set since the code was requested, the code must not replace it.
    const expectedSalt = code.target ? openTarget(ctx, code) : '';
    const setting = { patientId, srp: input.srp, action: 'patients.reset_password' as const, expectedSalt };
    // A mailed code is not enough after a change of address was undone, because the mailbox may be another person's.
    if (!(await setPassword(tx, patientCtx, setting))) throw invalidCode();
    await deleteKnownDevices(tx, ctx, { patientId });
    await clearLockout(tx, ctx, personKey(ctx, input.email), caller.ip);
    await confirmSignIn(tx, ctx, { patientId, clientId, verified: { emailVerified: true } });
  });
}
