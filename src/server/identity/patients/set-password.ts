import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { record } from '../../core/record.ts';
import { sendMessage } from '../../messages/send-message.ts';
import { endSessions } from '../sessions/end-sessions.ts';
import type { Registration } from '../srp/registration.ts';
import { registrationColumns } from '../srp/verifier.ts';

type Setting = {
  patientId: string;
  srp: Registration;
  action: string;
  exceptSession?: string;
  /** The salt of the password that was proved, or is reset, which names it: it must not have been replaced meanwhile. */
  proved?: string;
  /** For who was let so far by a demanded reset: this is it. */
  lifts?: true;
};

/**
 * Puts a new password in place, in the patient's name: sessions (but one) and half-done sign-ins end, the owner is told.
 * False, and nothing done, while a reset is demanded that takes more than what was shown, or once what was proved is replaced.
 */
export async function setPassword(
  tx: Tx,
  ctx: Context,
  { patientId, srp, action, exceptSession, proved, lifts }: Setting,
): Promise<boolean> {
  const { tenantId } = ctx;
  const { count } = await tx.patientSignIn.updateMany({
    where: {
      tenantId,
      patientId,
      ...(proved && { salt: proved }),
      OR: [{ resetBy: null }, ...(lifts ? [{ resetBy: 'password' }] : [])],
    },
    data: {
      ...registrationColumns(ctx, patientId, srp),
      temporaryUntil: null,
      invitation: null,
      resetRequiredAt: null,
      resetBy: null,
    },
  });
  if (count === 0) return false;
  await tx.signInStep.deleteMany({ where: { tenantId, patientId } });
  await endSessions(tx, ctx, { patientId, ...(exceptSession && { except: exceptSession }) }, 'password_changed');
  await record(tx, ctx, { action, object: { type: 'Patient', id: patientId }, patientId });
  const { email } = await tx.patient.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id: patientId } },
    select: { email: true },
  });
  if (email) await sendMessage(tx, ctx, { kind: 'password_changed', to: email });
  return true;
}
