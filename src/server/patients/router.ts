import { ListPatientsInput } from '#contract/list-patients.ts';
import { CreatePatientInput, NoInput, PatientIdInput, UpdatePatientInput } from '#contract/patients.ts';
import { patientData, router } from '#server/core/trpc.ts';
import { createPatient } from './create-patient.ts';
import { getOwnPatient, getPatient } from './get-patient.ts';
import { listPatients } from './list-patients.ts';
import { unarchivePatient } from './unarchive-patient.ts';
import { updatePatient } from './update-patient.ts';

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
  unarchive: patientData('Patient')
    .input(PatientIdInput)
    .mutation(({ ctx, input }) => unarchivePatient(ctx, input)),
});
