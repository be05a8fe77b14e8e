import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';

/** The patient of that e-mail who is not archived, with how they sign in, if they can. */
export async function findByEmail(tx: Pick<Tx, 'patient'>, { tenantId }: Context, email: string) {
  const patient = await tx.patient.findUnique({
    where: { tenantId_email: { tenantId, email } },
    select: { id: true, archivedAt: true, signIn: true },
  });
  return patient && !patient.archivedAt ? patient : null;
}
