import { ArchivePatientInput } from '#contract/care.ts';
import { PatientIdInput } from '#contract/patients.ts';
import { patientData, router } from '#server/core/trpc.ts';
import { archive } from './archive.ts';
import { getCare } from './get-care.ts';

/** Procedures for archiving a patient; merged into the procedures of patients. */
export const careRouter = router({
  archive: patientData('Patient')
    .input(ArchivePatientInput)
    .mutation(({ ctx, input }) => archive(ctx, input)),
  care: patientData('Patient', { action: 'patients.preview_archive' })
    .input(PatientIdInput)
    .query(({ ctx, input }) => getCare(ctx, input)),
});
