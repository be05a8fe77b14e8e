import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { CARE_COLUMNS, isInCare } from '#server/patients/in-care.ts';

/** The patient of that e-mail who is neither archived nor about to be, with how they sign in, if they can. */
export async function findByEmail(tx: Pick<Tx, 'patient'>, { tenantId }: Context, email: string) {
  const patient = await tx.patient.findUnique({
    where: { tenantId_email: { tenantId, email } },
    select: { ...CARE_COLUMNS, id: true, signIn: true },
  });
  return patient && isInCare(patient) ? patient : null;
}
