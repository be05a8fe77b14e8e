import type { CreatePatientInput } from '#contract/patients.ts';
import type { Prisma } from '#generated/prisma/client.ts';
import { type NewPatient, planNewPatient } from '#server/patients/plan-patient.ts';
import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { invalid, refuse } from '../../core/errors.ts';
import { insertPatient } from '../../patients/insert-patient.ts';
import { tenantToday } from '../../patients/tenant-today.ts';
import { inPatientsName } from '../proving/in-patients-name.ts';
import type { Inputs } from './inputs.ts';

type SignIn = Omit<Prisma.PatientSignInUncheckedCreateInput, 'tenantId' | 'patientId'>;
type Registering = { id: string; plan: NewPatient; signIn: SignIn; clientId: string; isTaken: boolean };

/**
 * Creates the patient of a sign-up, who must still confirm. When there is one of that address already (`isTaken`), the
 * same rows are written without the address and taken back, so that both ways cost the same.
 */
export async function registerPatient(
  tx: Tx,
  ctx: Context,
  { id, plan, signIn, clientId, isTaken }: Registering,
): Promise<void> {
  const now = ctx.clock.now();
  await tx.$executeRawUnsafe('savepoint registration');
  await insertPatient(tx, inPatientsName(ctx, id, clientId), {
    id,
    plan: isTaken ? { ...plan, email: null } : plan,
    action: 'patients.sign_up',
    event: 'patient.signed_up',
  });
  await tx.patientSignIn.create({
    data: {
      ...signIn,
      ...(isTaken && { phoneNumber: null }),
      tenantId: ctx.tenantId,
      patientId: id,
      createdAt: now,
      updatedAt: now,
    },
  });
  await tx.$executeRawUnsafe(`${isTaken ? 'rollback to' : 'release'} savepoint registration`);
}

/**
 * The rows of a patient who signs up: what patients may write about themselves, checked before anybody is looked up.
 * @param saidAt when the device that signs up accepted the terms, which is before its code confirms the record
 */
export async function planSignUp(
  ctx: Context,
  address: Pick<CreatePatientInput, 'email' | 'phone_number'>,
  { accepted_terms_of_service, ...attributes }: Inputs['signUp']['attributes'],
  saidAt: Date = ctx.clock.now(),
): Promise<NewPatient> {
  // Whether an external id is taken would tell a stranger who exists.
  if (attributes.external_id !== undefined)
    throw refuse('forbidden', 'external_id is set by your clinic.', { source: { pointer: '/attributes/external_id' } });
  if (
    accepted_terms_of_service &&
    ![undefined, true].includes(attributes.metadata?.accepted_terms_of_service as boolean)
  )
    throw invalid(
      'attributes/metadata',
      'It says that the terms of service were not accepted, and beside it that they were.',
    );
  const terms = accepted_terms_of_service ? { termsAcceptedAt: saidAt } : {};
  return planNewPatient({ ...attributes, ...address }, await tenantToday(ctx), terms);
}
