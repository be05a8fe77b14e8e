import type { Services } from '../../core/context.ts';
import type { Caller } from '../caller.ts';
import { openTarget } from '../codes/open-target.ts';
import { spendCode } from '../codes/spend-code.ts';
import { tryCode, wrong } from '../codes/try-code.ts';
import { confirmSignIn } from '../confirm-sign-in.ts';
import { findPublicClient } from '../find-public-client.ts';
import type { Inputs } from '../inputs.ts';
import { planSignUp } from '../plan-sign-up.ts';
import { type Attempt, takeAttempt } from './take-attempt.ts';

/**
 * Confirms an e-mail address with the code that went there. Repeated under the same Idempotency-Key it answers the same.
 * Errors: invalid_code, expired_code, too_many_tries.
 */
export async function confirm(services: Services, caller: Caller, input: Inputs['confirm']): Promise<void> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  const { email } = input;
  const which = { purpose: 'confirm', person: email } as const;
  const code = await tryCode(ctx, which, input.code, { clientId, tellsState: false });
  const { patientId } = code;
  const attempt: Attempt | null = code.target && JSON.parse(openTarget(ctx, code));
  const plan = attempt && (await planSignUp(ctx, { email }, attempt.attributes));
  await ctx.db.$transaction(async (tx) => {
    const spent = patientId && (await spendCode(tx, ctx, code, caller));
    if (!spent) throw wrong();
    if (spent === 'before') return;
    if (attempt && plan) await takeAttempt(tx, ctx, { patientId, clientId, srp: attempt.srp, plan });
    await confirmSignIn(tx, ctx, { patientId, clientId, proved: { emailVerified: true } });
  });
}
