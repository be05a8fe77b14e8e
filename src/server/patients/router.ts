import { FindDuplicatesInput } from '#contract/duplicate-patients.ts';
import { ListPatientsInput } from '#contract/list-patients.ts';
import {
  CreatePatientInput,
  NoInput,
  PatientIdInput,
  type PatientView,
  UpdatePatientInput,
} from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { patientData, router } from '#server/core/trpc.ts';
import { createPatient } from './create-patient.ts';
import { endAccess } from './end-access.ts';
import { findDuplicates } from './find-duplicates.ts';
import { getOwnPatient, getPatient } from './get-patient.ts';
import { listPatients } from './list-patients.ts';
import { lockPatient, tenantToday } from './patient.ts';
import { getPatientView } from './patient-view.ts';
import { updatePatient } from './update-patient.ts';

/**
 * Unarchives a patient, who then has no sign-in and needs a new invitation; email and external id stayed reserved.
 * `signedInBefore` is set, because such a patient can only be invited by staff. Idempotent.
 *
 * @throws 409 `conflict` while their care is ending, and for a record that was merged into another.
 */
export async function unarchivePatient(ctx: Context, { id }: { id: string }): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:write', { patients: false });
  const today = await tenantToday(ctx);
  return ctx.db.$transaction(async (tx) => {
    const patient = await lockPatient(ctx, tx, id);
    if (patient.status !== 'archived') {
      if (!patient.careEndingAt) return getPatientView(tx, ctx, id, today);
      throw apiError('conflict', "This patient's care is just ending; once they are archived they can be taken back.");
    }
    if (patient.mergedInto)
      throw apiError('conflict', `This record was merged into that of the patient ${patient.mergedInto}.`, {
        people: 'This record was merged into another one, which has all of it.',
      });
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

export const patientsRouter = router({
  list: patientData('Patient')
    .input(ListPatientsInput)
    .query(({ ctx, input }) => listPatients(ctx, input)),
  create: patientData('Patient')
    .input(CreatePatientInput)
    .mutation(({ ctx, input }) => createPatient(ctx, input)),
  me: patientData('Patient', { action: 'patients.get_own' })
    .input(NoInput)
    .query(({ ctx }) => getOwnPatient(ctx)),
  get: patientData('Patient')
    .input(PatientIdInput)
    .query(({ ctx, input }) => getPatient(ctx, input)),
  update: patientData('Patient')
    .input(UpdatePatientInput)
    .mutation(({ ctx, input }) => updatePatient(ctx, input)),
  // A POST, so that the details are in no address.
  findDuplicates: patientData('Patient')
    .input(FindDuplicatesInput)
    .mutation(({ ctx, input }) => findDuplicates(ctx, input)),
  unarchive: patientData('Patient')
    .input(PatientIdInput)
    .mutation(({ ctx, input }) => unarchivePatient(ctx, input)),
});
