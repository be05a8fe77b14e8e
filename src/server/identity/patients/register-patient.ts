import type { CreatePatientInput } from '#contract/patients.ts';
import type { Prisma } from '#generated/prisma/client.ts';
import { insertPatient, type NewPatient, planNewPatient, tenantToday } from '#server/patients/index.ts';
import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { apiError, invalidParameter } from '../../core/errors.ts';
import { asPatient } from '../verification/request-context.ts';
import type { Inputs } from './inputs.ts';

type SignIn = Omit<Prisma.PatientSignInUncheckedCreateInput, 'tenantId' | 'patientId'>;
type NewRegistration = { id: string; plan: NewPatient; signIn: SignIn; clientId: string; isTaken: boolean };

/**
 * Creates the unconfirmed patient of a sign-up. If the address is taken (`isTaken`), writes the same rows without it
 * and rolls them back, so that both cases cost the same.
 */
export async function registerPatient(
  tx: Tx,
  ctx: Context,
  { id, plan, signIn, clientId, isTaken }: NewRegistration,
): Promise<void> {
  const now = ctx.clock.now();
  await tx.$executeRawUnsafe('savepoint registration');
  await insertPatient(tx, asPatient(ctx, id, clientId), {
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
 * Validates the attributes that patients may write about themselves, before any lookup, and returns the rows.
 * @param acceptedAt when the device accepted the terms, which is before its code confirms the record
 */
export async function planSignUp(
  ctx: Context,
  address: Pick<CreatePatientInput, 'email' | 'phone_number'>,
  { accepted_terms_of_service, ...attributes }: Inputs['signUp']['attributes'],
  acceptedAt: Date = ctx.clock.now(),
): Promise<NewPatient> {
  // A check of the external id would reveal to an unauthenticated client which patients exist.
  if (attributes.external_id !== undefined)
    throw apiError('forbidden', 'external_id is set by your clinic.', {
      source: { pointer: '/attributes/external_id' },
    });
  if (
    accepted_terms_of_service &&
    ![undefined, true].includes(attributes.metadata?.accepted_terms_of_service as boolean)
  )
    throw invalidParameter(
      'attributes/metadata',
      'It says that the terms of service were not accepted, and beside it that they were.',
    );
  const terms = accepted_terms_of_service ? { termsAcceptedAt: acceptedAt } : {};
  return planNewPatient({ ...attributes, ...address }, await tenantToday(ctx), terms);
}
