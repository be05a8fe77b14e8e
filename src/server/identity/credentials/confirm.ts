import type { Services } from '../../core/context.ts';
import type { Caller } from '../caller.ts';
import { spendCode } from '../codes/spend-code.ts';
import { tryCode, wrong } from '../codes/try-code.ts';
import { confirmSignIn } from '../confirm-sign-in.ts';
import { findPublicClient } from '../find-public-client.ts';
import type { Inputs } from '../inputs.ts';

/** Confirms an e-mail address with the code that went there. Errors: invalid_code, expired_code, too_many_tries. */
export async function confirm(services: Services, caller: Caller, input: Inputs['confirm']): Promise<void> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  const which = { purpose: 'confirm', person: input.email } as const;
  const code = await tryCode(ctx, which, input.code, { clientId, tellsState: false });
  const { patientId } = code;
  await ctx.db.$transaction(async (tx) => {
    if (!patientId || !(await spendCode(tx, ctx, code))) throw wrong();
    await confirmSignIn(tx, ctx, { patientId, clientId, proved: { emailVerified: true } });
  });
}
