import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

/** Undoes what a sign-in, or a change of how to sign in, that is under way still needs. */
export async function endUnfinished(tx: Tx, { tenantId }: Context, patientId: string): Promise<void> {
  await tx.oneTimeCode.deleteMany({ where: { tenantId, patientId } });
  await tx.signInStep.deleteMany({ where: { tenantId, patientId } });
  await tx.askedEmailChange.deleteMany({ where: { tenantId, patientId, confirmedAt: null } });
}

/** Ends a patient's sessions, and what is on the way to another. */
export async function endAccess(tx: Tx, ctx: Context, patientId: string): Promise<void> {
  await tx.patientSession.updateMany({
    where: { tenantId: ctx.tenantId, patientId, endedAt: null },
    data: { endedAt: ctx.clock.now(), endReason: 'archived' },
  });
  await tx.knownDevice.deleteMany({ where: { tenantId: ctx.tenantId, patientId } });
  // Nobody's any more, but still there: who signed up is not to learn that somebody was archived.
  await tx.signUpAttempt.updateMany({ where: { tenantId: ctx.tenantId, patientId }, data: { patientId: null } });
  // An address of before has nothing to undo, also if the patient comes back.
  await tx.addressChange.updateMany({
    where: { tenantId: ctx.tenantId, patientId, endedAt: null },
    data: { endedAt: ctx.clock.now() },
  });
  await endUnfinished(tx, ctx, patientId);
}
