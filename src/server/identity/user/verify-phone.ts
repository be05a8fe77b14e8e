import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '../../core/context.ts';
import { changePhone } from '../../patients/change-phone.ts';
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
 * Takes the new number over, also for signing in where codes are what this patient signs in by. Repeated under the same
 * Idempotency-Key it answers the same. Errors: invalid_code, expired_code, too_many_tries.
 */
export async function verifyPhone(
  ctx: Context,
  { code: given }: Inputs['verifyPhone'],
  caller: Caller,
): Promise<WireUser> {
  const { patientId, clientId, sessionId } = requireSession(ctx);
  const which = { purpose: 'phone', person: personAt(patientId, sessionId) } as const;
  const code = await tryCode(ctx, which, given, { clientId, tellsState: true });
  const phoneNumber = openTarget(ctx, code);
  const change = ctx.db.$transaction(async (tx) => {
    const spent = await spendCode(tx, ctx, code, caller);
    if (!spent) throw wrong();
    if (spent === 'before') return presentUser(tx, ctx, patientId);
    await changePhone(tx, ctx, patientId, phoneNumber);
    await forgetCodes(tx, ctx, patientId, code.id);
    await tx.patientSignIn.updateMany({
      where: { tenantId: ctx.tenantId, patientId, phoneNumber: { not: null } },
      data: { phoneNumber },
    });
    return presentUser(tx, ctx, patientId);
  });
  return change.catch(wrongWhenTaken);
}
