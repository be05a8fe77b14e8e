import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '../../core/context.ts';
import { sendMessage } from '../../messages/send-message.ts';
import { changeEmail } from '../../patients/change-email.ts';
import { refuseTaken } from '../../patients/refuse-taken.ts';
import { openTarget } from '../codes/open-target.ts';
import { spendCode } from '../codes/spend-code.ts';
import { tryCode, wrong } from '../codes/try-code.ts';
import type { Inputs } from '../inputs.ts';
import { presentUser } from '../sessions/present-user.ts';
import { requireSession } from './require-patient.ts';

/** Takes the new address over; the old one is told. Errors: invalid_code, expired_code, too_many_tries, email_taken. */
export async function verifyEmail(ctx: Context, { code: given }: Inputs['verifyEmail']): Promise<WireUser> {
  const { patientId, clientId } = requireSession(ctx);
  const which = { purpose: 'email', person: patientId } as const;
  const code = await tryCode(ctx, which, given, { clientId, tellsState: true });
  const email = openTarget(ctx, code);
  const change = ctx.db.$transaction(async (tx) => {
    if (!(await spendCode(tx, ctx, code))) throw wrong();
    const before = await changeEmail(tx, ctx, patientId, email);
    await tx.signInStep.deleteMany({ where: { tenantId: ctx.tenantId, patientId } });
    if (before && before !== email) await sendMessage(tx, ctx, { kind: 'email_changed', to: before });
    return presentUser(tx, ctx, patientId);
  });
  return change.catch(refuseTaken);
}
