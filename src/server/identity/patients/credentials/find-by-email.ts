import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { CARE_COLUMNS, isInCare } from '#server/patients/index.ts';

/** Finds the patient with this email who is in care (neither archived nor about to be), with their sign-in if any. */
export async function findByEmail(tx: Pick<Tx, 'patient'>, { tenantId }: Context, email: string) {
  const patient = await tx.patient.findUnique({
    where: { tenantId_email: { tenantId, email } },
    select: { ...CARE_COLUMNS, id: true, signIn: true },
  });
  return patient && isInCare(patient) ? patient : null;
}
