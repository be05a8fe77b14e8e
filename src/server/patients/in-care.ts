import type { Patient } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';

/** For queries: patients who are neither archived nor about to be. */
export const IN_CARE = { archivedAt: null, careEndingAt: null } as const;

/** The columns by which to ask `isInCare`. */
export const CARE_COLUMNS = { archivedAt: true, careEndingAt: true } as const;

/** Neither archived nor about to be. Nobody else signs in, is invited or takes a password. */
export const isInCare = ({ archivedAt, careEndingAt }: Pick<Patient, 'archivedAt' | 'careEndingAt'>): boolean =>
  archivedAt === null && careEndingAt === null;

/** An archived patient is read but not changed, booked for or subscribed: 422 `patient_archived`. */
export function assertNotArchived(patient: Pick<Patient, 'status'>): void {
  if (patient.status === 'archived') throw refuse('patient_archived', 'This patient is archived and can only be read.');
}

type Care = Pick<Patient, 'status'> & { careEndingAt: Date | string | null };

/** Nothing new begins for a patient who is archived or about to be: 422 `patient_archived`. */
export function assertInCare(patient: Care): void {
  assertNotArchived(patient);
  if (patient.careEndingAt)
    throw refuse('patient_archived', "This patient's care is ending: nothing new is booked or begun for them.");
}

/** The same in a transaction, and until its end: whoever ends the patient's care waits, and then sees what was begun. */
export async function holdInCare(tx: Tx, ctx: Pick<Context, 'tenantId'>, patientId: string): Promise<void> {
  const patient = await holdCare(tx, ctx, patientId);
  if (patient) assertInCare(patient);
}

/** How a patient's care stands, kept so until the transaction ends. */
export async function holdCare(
  tx: Pick<Tx, '$queryRaw'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  patientId: string,
): Promise<Care | null> {
  const [patient] = await tx.$queryRaw<Care[]>`
    select status, care_ending_at as "careEndingAt" from patients
    where tenant_id = ${tenantId}::uuid and id = ${patientId}::uuid for share`;
  return patient ?? null;
}
