import type { Patient } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';

/** Query condition: patients who are neither archived nor about to be. */
export const IN_CARE = { archivedAt: null, careEndingAt: null } as const;

/** The columns that `isInCare` needs. */
export const CARE_COLUMNS = { archivedAt: true, careEndingAt: true } as const;

/**
 * True when the patient is neither archived nor about to be. Required to sign in, to be invited and to set a password.
 */
export const isInCare = ({ archivedAt, careEndingAt }: Pick<Patient, 'archivedAt' | 'careEndingAt'>): boolean =>
  archivedAt === null && careEndingAt === null;

/**
 * Rejects changes, bookings and subscriptions for an archived patient.
 *
 * @throws 422 `patient_archived`.
 */
export function assertNotArchived(patient: Pick<Patient, 'status'>): void {
  if (patient.status === 'archived')
    throw apiError('patient_archived', 'This patient is archived and can only be read.');
}

type Care = Pick<Patient, 'status'> & { careEndingAt: Date | string | null };

/**
 * Rejects anything new for a patient who is archived or about to be.
 *
 * @throws 422 `patient_archived`.
 */
export function assertInCare(patient: Care): void {
  assertNotArchived(patient);
  if (patient.careEndingAt)
    throw apiError('patient_archived', "This patient's care is ending: nothing new is booked or begun for them.");
}

/**
 * The same under a share lock until the transaction ends: a concurrent archiving waits, and then sees what was created.
 */
export async function lockInCare(tx: Tx, ctx: Pick<Context, 'tenantId'>, patientId: string): Promise<void> {
  const patient = await lockCareStatus(tx, ctx, patientId);
  if (patient) assertInCare(patient);
}

/** Returns the patient's care status under a share lock until the transaction ends. */
export async function lockCareStatus(
  tx: Pick<Tx, '$queryRaw'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  patientId: string,
): Promise<Care | null> {
  const [patient] = await tx.$queryRaw<Care[]>`
    select status, care_ending_at as "careEndingAt" from patients
    where tenant_id = ${tenantId}::uuid and id = ${patientId}::uuid for share`;
  return patient ?? null;
}
