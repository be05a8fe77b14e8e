import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '#server/core/context.ts';
import { changeEmail } from '#server/patients/index.ts';
import { presentUser } from '../../sessions/present-user.ts';
import { type Caller, describeRequest } from '../../verification/caller.ts';
import { consumeCode } from '../../verification/codes/consume-code.ts';
import { openTarget } from '../../verification/codes/issue-code.ts';
import { invalidCode, invalidCodeWhenTaken, verifyCode } from '../../verification/codes/verify-code.ts';
import { clearLockout } from '../../verification/failures.ts';
import { lockPerson, personKey } from '../../verification/person.ts';
import { deleteCodesAndSteps } from '../../verification/steps.ts';
import { notifyEmailChange } from '../address-changes/notify-change.ts';
import { releaseAddress } from '../address-changes/release-address.ts';
import type { Inputs } from '../inputs.ts';
import { assertStillAuthorized, authorizeChange, pendingChangeKey } from './authorize.ts';

/**
 * Puts the new address into effect; the old address is notified and may undo it. A repeated request (same
 * Idempotency-Key) returns the same. If another patient has taken the address, the error is `invalid_code`, so that it
 * does not reveal that patient.
 * @throws `proof_required`, `forbidden`, `invalid_code`, `expired_code`, `too_many_tries`
 */
export async function verifyEmail(
  ctx: Context,
  { code: enteredCode, ...shown }: Inputs['verifyEmail'],
  caller: Caller,
): Promise<WireUser> {
  const author = await authorizeChange(ctx, shown);
  const { patientId, clientId, by } = author;
  const codeKey = { purpose: 'email', person: pendingChangeKey(author) } as const;
  const code = await verifyCode(ctx, codeKey, enteredCode, { clientId, revealsState: true });
  const email = openTarget(ctx, code);
  const change = ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${ctx.tenantId}:${patientId}`);
    const consumed = await consumeCode(tx, ctx, code, caller);
    if (!consumed) throw invalidCode();
    if (consumed === 'before') return presentUser(tx, ctx, patientId);
    await assertStillAuthorized(tx, ctx, author);
    await lockPerson(tx, `${ctx.tenantId}:${email}`);
    if (!(await releaseAddress(tx, ctx, { patientId, email }))) throw invalidCode();
    const action = 'patients.change_email';
    const before = await changeEmail(tx, ctx, patientId, { email, verified: true, action, details: { by } });
    await deleteCodesAndSteps(tx, ctx, patientId, { code: code.id, proof: shown.proof });
    await notifyEmailChange(tx, ctx, author, { before, after: email, request: describeRequest(ctx, caller) });
    await clearLockout(tx, ctx, personKey(ctx, email), caller.ip);
    return presentUser(tx, ctx, patientId);
  });
  return change.catch(invalidCodeWhenTaken);
}
