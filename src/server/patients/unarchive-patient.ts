import type { PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { endAccess } from './end-access.ts';
import { lockPatient } from './lock-patient.ts';
import { presentPatient } from './present-patient.ts';
import { readPatient } from './read-patient.ts';
import { tenantToday } from './tenant-today.ts';

/**
 * Takes an archived patient back into care, as a patient who does not sign in: what they signed in with is gone, so
 * that only a new invitation lets them in. Their e-mail and external id were kept for them all the while. Again changes
 * nothing and answers the same. That they had signed in is kept, for then staff alone invite them. Errors: 409 `conflict`
 * while their care is ending.
 */
export async function unarchivePatient(ctx: Context, { id }: { id: string }): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:write', { patients: false });
  const today = await tenantToday(ctx);
  return ctx.db.$transaction(async (tx) => {
    const patient = await lockPatient(ctx, tx, id);
    if (patient.status !== 'archived') {
      if (!patient.careEndingAt) return presentPatient(patient, today);
      throw refuse('conflict', "This patient's care is just ending; once they are archived they can be taken back.");
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
    // A sign-in that ran beside the archiving may have left something that only the archive kept shut.
    await endAccess(tx, ctx, id);
    await tx.patientSignIn.deleteMany({ where: own });
    const view = presentPatient((await readPatient(tx, ctx.tenantId, id))!, today);
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
