import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '#server/core/context.ts';
import { changeEmail } from '#server/patients/change-email.ts';
import { presentUser } from '../../sessions/present-user.ts';
import { type Caller, describeRequest } from '../../verification/caller.ts';
import { consumeCode } from '../../verification/codes/consume-code.ts';
import { deleteCodes } from '../../verification/codes/delete-codes.ts';
import { openTarget } from '../../verification/codes/issue-code.ts';
import { invalidCode, invalidCodeWhenTaken, verifyCode } from '../../verification/codes/verify-code.ts';
import { clearLockout } from '../../verification/lockout/lockout.ts';
import { lockPerson, personKey } from '../../verification/person.ts';
import { notifyEmailChange } from '../address-changes/notify-change.ts';
import { releaseAddress } from '../address-changes/release-address.ts';
import type { Inputs } from '../inputs.ts';
import { assertStillAuthorized, authorizeChange, pendingChangeKey } from './authorize-change.ts';

/**
 * Puts the new address into effect; the old address is notified and may undo it. A repeated request (same
 * Idempotency-Key) returns the same. If another patient has taken the address, the error is `invalid_code`, so that it
 * does not reveal that patient.
 * @throws `proof_required`, `forbidden`, `invalid_code`, `expired_code`, `too_many_tries`
 */
export async function verifyEmail(
  ctx: Context,
  { code: given, ...shown }: Inputs['verifyEmail'],
  caller: Caller,
): Promise<WireUser> {
  const changer = await authorizeChange(ctx, shown);
  const { patientId, clientId, by } = changer;
  const which = { purpose: 'email', person: pendingChangeKey(changer) } as const;
  const code = await verifyCode(ctx, which, given, { clientId, revealsState: true });
  const email = openTarget(ctx, code);
  const change = ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${ctx.tenantId}:${patientId}`);
    const spent = await consumeCode(tx, ctx, code, caller);
    if (!spent) throw invalidCode();
    if (spent === 'before') return presentUser(tx, ctx, patientId);
    await assertStillAuthorized(tx, ctx, changer);
    await lockPerson(tx, `${ctx.tenantId}:${email}`);
    if (!(await releaseAddress(tx, ctx, { patientId, email }))) throw invalidCode();
    const action = 'patients.change_email';
    const before = await changeEmail(tx, ctx, patientId, { email, verified: true, action, details: { by } });
    await deleteCodes(tx, ctx, patientId, { code: code.id, proof: shown.proof });
    await notifyEmailChange(tx, ctx, changer, { before, after: email, asked: describeRequest(ctx, caller) });
    await clearLockout(tx, ctx, personKey(ctx, email), caller.ip);
    return presentUser(tx, ctx, patientId);
  });
  return change.catch(invalidCodeWhenTaken);
}
