import type { Patient, PatientSignIn } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { IN_CARE, isInCare } from '#server/patients/in-care.ts';
import type { NewPatient } from '#server/patients/plan-patient.ts';
import { replacePatient } from '#server/patients/replace-patient.ts';
import type { Registration } from '../../srp/registration.ts';
import { registrationColumns } from '../../srp/verifier.ts';
import { asPatient } from '../../verification/as-patient.ts';

/** An unconfirmed sign-up; only then an attempt can take effect. Patients created by the clinic do not match. */
const WAITING = {
  confirmedAt: null,
  temporaryUntil: null,
  patient: { ...IN_CARE, status: { not: 'invited' } },
};

/** Returns whether a loaded sign-in matches `WAITING`. */
export const isUnconfirmed = (signIn: Waiter): boolean =>
  !signIn.confirmedAt && !signIn.temporaryUntil && isInCare(signIn.patient) && signIn.patient.status !== 'invited';

type Waiter = Pick<PatientSignIn, 'confirmedAt' | 'temporaryUntil'> & {
  patient: Pick<Patient, 'archivedAt' | 'careEndingAt' | 'status'>;
};

type Taking = {
  patientId: string;
  clientId: string;
  srp?: Registration | undefined;
  plan: NewPatient;
  /** Whether the record was created from this sign-up; it may hold later edits by the clinic. */
  madeRecord: boolean;
};

/**
 * Puts one device's sign-up into effect, with password and attributes, over any others of the address; the caller has
 * verified its code. Returns false if the patient is no longer unconfirmed.
 */
export async function applyPendingSignUp(
  tx: Tx,
  ctx: Context,
  { patientId, clientId, srp, plan, madeRecord }: Taking,
): Promise<boolean> {
  const { count } = await tx.patientSignIn.updateMany({
    where: { tenantId: ctx.tenantId, patientId, ...WAITING },
    data: srp ? registrationColumns(ctx, patientId, srp) : { updatedAt: ctx.clock.now() },
  });
  if (count === 0) return false;
  if (!madeRecord)
    await replacePatient(tx, asPatient(ctx, patientId, clientId), {
      id: patientId,
      plan,
      action: 'patients.sign_up',
    });
  return true;
}
