import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

/** Deletes what a pending sign-in, or a pending change of sign-in data, needs. */
export async function endPendingSignIns(tx: Tx, { tenantId }: Context, patientId: string): Promise<void> {
  await tx.oneTimeCode.deleteMany({ where: { tenantId, patientId } });
  await tx.signInStep.deleteMany({ where: { tenantId, patientId } });
  await tx.askedEmailChange.deleteMany({ where: { tenantId, patientId, confirmedAt: null } });
}

/** Ends a patient's sessions and pending sign-ins. */
export async function endAccess(tx: Tx, ctx: Context, patientId: string): Promise<void> {
  await tx.patientSession.updateMany({
    where: { tenantId: ctx.tenantId, patientId, endedAt: null },
    data: { endedAt: ctx.clock.now(), endReason: 'archived' },
  });
  await tx.knownDevice.deleteMany({ where: { tenantId: ctx.tenantId, patientId } });
  // Kept without the patient, so that the client that signed up does not learn of the archiving.
  await tx.signUpAttempt.updateMany({ where: { tenantId: ctx.tenantId, patientId }, data: { patientId: null } });
  // Earlier addresses can no longer be restored, even if the patient is unarchived.
  await tx.addressChange.updateMany({
    where: { tenantId: ctx.tenantId, patientId, endedAt: null },
    data: { endedAt: ctx.clock.now() },
  });
  await endPendingSignIns(tx, ctx, patientId);
}
