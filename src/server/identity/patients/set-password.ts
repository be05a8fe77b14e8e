import type { AuditAction } from '#contract/audit-actions.ts';
import { sendMessage } from '#server/messages/index.ts';
import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { record } from '../../core/record.ts';
import { endSessions } from '../sessions/end-sessions.ts';
import type { Registration } from '../srp/registration.ts';
import { registrationColumns } from '../srp/verifier.ts';

type Setting = {
  patientId: string;
  srp: Registration;
  action: AuditAction;
  exceptSession?: string;
  /**
   * Salt of the password that was verified or is being reset. It identifies the password, which must not have been
   * replaced since.
   */
  expectedSalt?: string;
  /** Set by the reset that is required, which lifts the lock. */
  lifts?: true;
};

/**
 * Sets a new password as the patient: ends sessions (but one) and pending sign-ins, and notifies the owner. Returns
 * false and changes nothing while a reset is required that takes more, or once the verified password was replaced.
 */
export async function setPassword(
  tx: Tx,
  ctx: Context,
  { patientId, srp, action, exceptSession, expectedSalt, lifts }: Setting,
): Promise<boolean> {
  const { tenantId } = ctx;
  const { count } = await tx.patientSignIn.updateMany({
    where: {
      tenantId,
      patientId,
      ...(expectedSalt && { salt: expectedSalt }),
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
