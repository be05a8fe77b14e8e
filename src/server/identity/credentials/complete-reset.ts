import type { Services } from '../../core/context.ts';
import { asPatient } from '../as-patient.ts';
import type { Caller } from '../caller.ts';
import { reopen } from '../closing/in-a-row.ts';
import { personAt, personKey } from '../codes/person-key.ts';
import { spendCode } from '../codes/spend-code.ts';
import { tryCode, wrong } from '../codes/try-code.ts';
import { confirmSignIn } from '../confirm-sign-in.ts';
import { forgetDevices } from '../devices/known-device.ts';
import { findPublicClient } from '../find-public-client.ts';
import type { Inputs } from '../inputs.ts';
import { setPassword } from '../set-password.ts';
import { refuseWeak } from '../srp/refuse-weak.ts';

/**
 * Sets a new password with the code of the mail; all sessions end, no device is known any more. Who was invited has
 * completed that with it: an invitation goes to the same address. Repeated under the same Idempotency-Key it answers
 * the same.
 * Errors: invalid_parameter at the verifier, invalid_code, expired_code, too_many_tries.
 */
export async function completeReset(services: Services, caller: Caller, input: Inputs['completeReset']): Promise<void> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  const which = { purpose: 'reset', person: personAt(input.email, input.attempt) } as const;
  const code = await tryCode(ctx, which, input.code, { clientId, tellsState: false });
  const { patientId } = code;
  await refuseWeak(ctx, caller, input.srp, { email: input.email, line: 'proved' });
  await ctx.db.$transaction(async (tx) => {
    const spent = patientId && (await spendCode(tx, ctx, code, caller));
    if (!spent) throw wrong();
    if (spent === 'before') return;
    const inPatientsName = asPatient(ctx, patientId, clientId);
    const setting = { patientId, srp: input.srp, action: 'patients.reset_password' };
    // A code by e-mail does not do after a change of an address was undone, for the mailbox may be another's.
    if (!(await setPassword(tx, inPatientsName, setting))) throw wrong();
    await forgetDevices(tx, ctx, { patientId });
    await reopen(tx, ctx, personKey(ctx, input.email), caller.ip);
    await confirmSignIn(tx, ctx, { patientId, clientId, proved: { emailVerified: true } });
  });
}
