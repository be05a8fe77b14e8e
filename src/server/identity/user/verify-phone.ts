import type { WireUser } from '#sdk/protocol/endpoints.ts';
import type { Context } from '../../core/context.ts';
import { Prisma } from '../../core/db.ts';
import { changePhone } from '../../patients/change-phone.ts';
import { openTarget } from '../codes/open-target.ts';
import { spendCode } from '../codes/spend-code.ts';
import { tryCode, wrong } from '../codes/try-code.ts';
import type { Inputs } from '../inputs.ts';
import { presentUser } from '../sessions/present-user.ts';
import { requireSession } from './require-patient.ts';

/** Takes the new number over, also for signing in where codes are what this patient signs in by. */
export async function verifyPhone(ctx: Context, { code: given }: Inputs['verifyPhone']): Promise<WireUser> {
  const { patientId, clientId } = requireSession(ctx);
  const which = { purpose: 'phone', person: patientId } as const;
  const code = await tryCode(ctx, which, given, { clientId, tellsState: true });
  const phoneNumber = openTarget(ctx, code);
  const change = ctx.db.$transaction(async (tx) => {
    if (!(await spendCode(tx, ctx, code))) throw wrong();
    await changePhone(tx, ctx, patientId, phoneNumber);
    await tx.patientSignIn.updateMany({
      where: { tenantId: ctx.tenantId, patientId, phoneNumber: { not: null } },
      data: { phoneNumber },
    });
    return presentUser(tx, ctx, patientId);
  });
  return change.catch((error) => {
    // Somebody else began to sign in with it since the code was sent.
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') throw wrong();
    throw error;
  });
}
