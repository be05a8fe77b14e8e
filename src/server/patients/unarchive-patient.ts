import type { PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { endAccess } from './end-access.ts';
import { getPatientView, lockPatient, presentPatient, tenantToday } from './patient.ts';

/**
 * Unarchives a patient, who then has no sign-in and needs a new invitation; email and external id stayed reserved.
 * `signedInBefore` is set, because such a patient can only be invited by staff. Idempotent.
 *
 * @throws 409 `conflict` while their care is ending.
 */
export async function unarchivePatient(ctx: Context, { id }: { id: string }): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:write', { patients: false });
  const today = await tenantToday(ctx);
  return ctx.db.$transaction(async (tx) => {
    const patient = await lockPatient(ctx, tx, id);
    if (patient.status !== 'archived') {
      if (!patient.careEndingAt) return presentPatient(patient, today);
      throw apiError('conflict', "This patient's care is just ending; once they are archived they can be taken back.");
    }
    const own = { tenantId: ctx.tenantId, patientId: id };
    const hadSignIn = await tx.patientSignIn.count({ where: { ...own, confirmedAt: { not: null } } });
    await tx.patient.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id } },
      data: {
        status: 'active',
        canSignIn: false,
        ...(hadSignIn > 0 && { signedInBefore: true }),
        archivedAt: null,
        careEndingAt: null,
        careEndingProblems: [],
        updatedAt: ctx.clock.now(),
      },
    });
    // A sign-in concurrent with the archiving may have left sessions or devices that only the status blocked.
    await endAccess(tx, ctx, id);
    await tx.patientSignIn.deleteMany({ where: own });
    const view = await getPatientView(tx, ctx, id, today);
    await record(tx, ctx, {
      action: 'patients.unarchive',
      object: { type: 'Patient', id },
      patientId: id,
      event: 'patient.unarchived',
      payload: view,
    });
    return view;
  });
}
