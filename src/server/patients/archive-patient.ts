import type { PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { lockPatient } from './lock-patient.ts';
import { presentPatient } from './present-patient.ts';
import { readPatient } from './read-patient.ts';
import { tenantToday } from './tenant-today.ts';

/** Ends a patient's access and sessions for good; the records stay. Archiving again changes nothing and answers the same. */
export async function archivePatient(ctx: Context, { id }: { id: string }): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:write', { patients: false });
  const today = await tenantToday(ctx);
  return ctx.db.$transaction(async (tx) => {
    const patient = await lockPatient(ctx, tx, id);
    if (patient.status === 'archived') return presentPatient(patient, today);
    const now = ctx.clock.now();
    await tx.patient.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id } },
      data: { status: 'archived', canSignIn: false, archivedAt: now, updatedAt: now },
    });
    await tx.patientSession.updateMany({
      where: { tenantId: ctx.tenantId, patientId: id, endedAt: null },
      data: { endedAt: now, endReason: 'archived' },
    });
    await tx.oneTimeCode.deleteMany({ where: { tenantId: ctx.tenantId, patientId: id } });
    await tx.signInStep.deleteMany({ where: { tenantId: ctx.tenantId, patientId: id } });
    // Nobody's any more, but still there: who signed up is not to learn that somebody was archived.
    await tx.signUpAttempt.updateMany({ where: { tenantId: ctx.tenantId, patientId: id }, data: { patientId: null } });
    await tx.knownDevice.deleteMany({ where: { tenantId: ctx.tenantId, patientId: id } });
    const view = presentPatient((await readPatient(tx, ctx.tenantId, id))!, today);
    await record(tx, ctx, {
      action: 'patients.archive',
      object: { type: 'Patient', id },
      patientId: id,
      event: 'patient.archived',
      payload: view,
    });
    return view;
  });
}
