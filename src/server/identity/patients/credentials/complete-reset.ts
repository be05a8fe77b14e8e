import type { Services } from '#server/core/context.ts';
import { findPublicClient } from '../../applications/find-public-client.ts';
import type { Caller } from '../../proving/caller.ts';
import { reopen } from '../../proving/closing/in-a-row.ts';
import { openTarget } from '../../proving/codes/issue-code.ts';
import { spendCode } from '../../proving/codes/spend-code.ts';
import { tryCode, wrong } from '../../proving/codes/try-code.ts';
import { inPatientsName } from '../../proving/in-patients-name.ts';
import { forgetDevices } from '../../proving/known-device.ts';
import { personAt, personKey } from '../../proving/person.ts';
import { refuseWeak } from '../../srp/refuse-weak.ts';
import { confirmSignIn } from '../confirm-sign-in.ts';
import type { Inputs } from '../inputs.ts';
import { setPassword } from '../set-password.ts';

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
    // Mailed while the address was being replaced, it went to one that is the patient's no more.
    const owner = { tenantId: ctx.tenantId, id: patientId, email: input.email };
    if ((await tx.patient.count({ where: owner })) === 0) throw wrong();
    const named = inPatientsName(ctx, patientId, clientId);
    // Another was set since the code was asked for: whoever holds the code is not to have the last word.
    const proved = code.target ? openTarget(ctx, code) : '';
    const setting = { patientId, srp: input.srp, action: 'patients.reset_password', proved };
    // A code by e-mail does not do after a change of an address was undone, for the mailbox may be another's.
    if (!(await setPassword(tx, named, setting))) throw wrong();
    await forgetDevices(tx, ctx, { patientId });
    await reopen(tx, ctx, personKey(ctx, input.email), caller.ip);
    await confirmSignIn(tx, ctx, { patientId, clientId, proved: { emailVerified: true } });
  });
}
