import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '../../core/context.ts';
import { sendMessage } from '../../messages/send-message.ts';
import { changeEmail } from '../../patients/change-email.ts';
import type { Caller } from '../caller.ts';
import { forgetCodes } from '../codes/forget-codes.ts';
import { openTarget } from '../codes/open-target.ts';
import { personAt } from '../codes/person-key.ts';
import { spendCode } from '../codes/spend-code.ts';
import { tryCode, wrong } from '../codes/try-code.ts';
import { wrongWhenTaken } from '../codes/wrong-when-taken.ts';
import type { Inputs } from '../inputs.ts';
import { presentUser } from '../sessions/present-user.ts';
import { requireSession } from './require-patient.ts';

/**
 * Takes the new address over; the old one is told. Repeated under the same Idempotency-Key it answers the same. An
 * address that became another patient's meanwhile is `invalid_code`: no patient learns who else there is (api.md §3).
 * Errors: invalid_code, expired_code, too_many_tries.
 */
export async function verifyEmail(
  ctx: Context,
  { code: given }: Inputs['verifyEmail'],
  caller: Caller,
): Promise<WireUser> {
  const { patientId, clientId, sessionId } = requireSession(ctx);
  const which = { purpose: 'email', person: personAt(patientId, sessionId) } as const;
  const code = await tryCode(ctx, which, given, { clientId, tellsState: true });
  const email = openTarget(ctx, code);
  const change = ctx.db.$transaction(async (tx) => {
    const spent = await spendCode(tx, ctx, code, caller);
    if (!spent) throw wrong();
    if (spent === 'before') return presentUser(tx, ctx, patientId);
    const before = await changeEmail(tx, ctx, patientId, email);
    await forgetCodes(tx, ctx, patientId, code.id);
    if (before && before !== email) await sendMessage(tx, ctx, { kind: 'email_changed', to: before });
    return presentUser(tx, ctx, patientId);
  });
  return change.catch(wrongWhenTaken);
}
