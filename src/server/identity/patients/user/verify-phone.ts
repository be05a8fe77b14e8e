import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '#server/core/context.ts';
import { changePhone } from '#server/patients/index.ts';
import { presentUser } from '../../sessions/present-user.ts';
import type { Caller } from '../../verification/caller.ts';
import { consumeCode } from '../../verification/codes/consume-code.ts';
import { openTarget } from '../../verification/codes/issue-code.ts';
import { invalidCode, invalidCodeWhenTaken, verifyCode } from '../../verification/codes/verify-code.ts';
import { lockPerson } from '../../verification/person.ts';
import { deleteCodesAndSteps } from '../../verification/steps.ts';
import { notifyPhoneChange } from '../address-changes/notify-change.ts';
import { releaseAddress } from '../address-changes/release-address.ts';
import type { Inputs } from '../inputs.ts';
import { assertStillAuthorized, authorizeChange, pendingChangeKey } from './authorize.ts';

/**
 * Puts the new number into effect, also for sign-in if the patient signs in by codes; the old number is notified and
 * may undo it. A repeated request (same Idempotency-Key) returns the same.
 * @throws `proof_required`, `forbidden`, `invalid_code`, `expired_code`, `too_many_tries`
 */
export async function verifyPhone(
  ctx: Context,
  { code: enteredCode, ...shown }: Inputs['verifyPhone'],
  caller: Caller,
): Promise<WireUser> {
  const author = await authorizeChange(ctx, shown);
  const { patientId, clientId, by } = author;
  const { tenantId } = ctx;
  const codeKey = { purpose: 'phone', person: pendingChangeKey(author) } as const;
  const code = await verifyCode(ctx, codeKey, enteredCode, { clientId, revealsState: true });
  const number = openTarget(ctx, code);
  const change = ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${patientId}`);
    const consumed = await consumeCode(tx, ctx, code, caller);
    if (!consumed) throw invalidCode();
    if (consumed === 'before') return presentUser(tx, ctx, patientId);
    await assertStillAuthorized(tx, ctx, author);
    const signIn = await tx.patientSignIn.findUnique({ where: { tenantId_patientId: { tenantId, patientId } } });
    await lockPerson(tx, `${tenantId}:${number}`);
    if (signIn?.phoneNumber && !(await releaseAddress(tx, ctx, { patientId, phoneNumber: number })))
      throw invalidCode();
    const action = 'patients.change_phone';
    const before = await changePhone(tx, ctx, patientId, { number, verified: true, action, details: { by } });
    await deleteCodesAndSteps(tx, ctx, patientId, { code: code.id, proof: shown.proof });
    await tx.patientSignIn.updateMany({
      where: { tenantId, patientId, phoneNumber: { not: null } },
      data: { phoneNumber: number },
    });
    await notifyPhoneChange(tx, ctx, author, { before, signIn: signIn?.phoneNumber ?? null, after: number });
    return presentUser(tx, ctx, patientId);
  });
  return change.catch(invalidCodeWhenTaken);
}
