import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '#server/core/context.ts';
import { changeEmail } from '#server/patients/change-email.ts';
import { askedBy, type Caller } from '../../proving/caller.ts';
import { reopen } from '../../proving/closing/in-a-row.ts';
import { forgetCodes } from '../../proving/codes/forget-codes.ts';
import { openTarget } from '../../proving/codes/issue-code.ts';
import { spendCode } from '../../proving/codes/spend-code.ts';
import { tryCode, wrong, wrongWhenTaken } from '../../proving/codes/try-code.ts';
import { lockPerson, personKey } from '../../proving/person.ts';
import { presentUser } from '../../sessions/present-user.ts';
import { noteEmailChange } from '../address-changes/note-change.ts';
import { takeFromUnproved } from '../address-changes/take-from-unproved.ts';
import type { Inputs } from '../inputs.ts';
import { assertStillChanger, placeOf, requireChanger } from './require-changer.ts';

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
  const changer = await requireChanger(ctx, shown);
  const { patientId, clientId, by } = changer;
  const which = { purpose: 'email', person: placeOf(changer) } as const;
  const code = await tryCode(ctx, which, given, { clientId, tellsState: true });
  const email = openTarget(ctx, code);
  const change = ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${ctx.tenantId}:${patientId}`);
    const spent = await spendCode(tx, ctx, code, caller);
    if (!spent) throw wrong();
    if (spent === 'before') return presentUser(tx, ctx, patientId);
    await assertStillChanger(tx, ctx, changer);
    await lockPerson(tx, `${ctx.tenantId}:${email}`);
    if (!(await takeFromUnproved(tx, ctx, { patientId, email }))) throw wrong();
    const action = 'patients.change_email';
    const before = await changeEmail(tx, ctx, patientId, { email, verified: true, action, details: { by } });
    await forgetCodes(tx, ctx, patientId, { code: code.id, proof: shown.proof });
    await noteEmailChange(tx, ctx, changer, { before, after: email, asked: askedBy(ctx, caller) });
    await reopen(tx, ctx, personKey(ctx, email), caller.ip);
    return presentUser(tx, ctx, patientId);
  });
  return change.catch(wrongWhenTaken);
}
