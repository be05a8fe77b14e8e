import type { Context } from '../core/context.ts';
import type { Tx } from '../core/db.ts';
import { record } from '../core/record.ts';
import { sendMessage } from '../messages/send-message.ts';
import type { Registration } from './inputs.ts';
import { endSessions } from './sessions/end-sessions.ts';
import { registrationColumns } from './srp/verifier.ts';

type Setting = { patientId: string; srp: Registration; action: string; exceptSession?: string };

/** Puts a new password in place, in the patient's name: sessions (but one) and half-done sign-ins end, the owner is told. */
export async function setPassword(
  tx: Tx,
  ctx: Context,
  { patientId, srp, action, exceptSession }: Setting,
): Promise<void> {
  const { tenantId } = ctx;
  await tx.patientSignIn.update({
    where: { tenantId_patientId: { tenantId, patientId } },
    data: { ...registrationColumns(ctx, patientId, srp), temporaryUntil: null, invitation: null },
  });
  await tx.signInStep.deleteMany({ where: { tenantId, patientId } });
  await endSessions(tx, ctx, { patientId, ...(exceptSession && { except: exceptSession }) }, 'password_changed');
  await record(tx, ctx, { action, object: { type: 'Patient', id: patientId }, patientId });
  const { email } = await tx.patient.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id: patientId } },
    select: { email: true },
  });
  if (email) await sendMessage(tx, ctx, { kind: 'password_changed', to: email });
}
