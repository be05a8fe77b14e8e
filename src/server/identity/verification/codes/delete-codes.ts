import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';

/**
 * Deletes pending codes and steps of a patient whose address has changed: a caller who holds only the old address must
 * not finish what they started there. The code and proof of the change itself stay, for a repeated request.
 */
export async function deleteCodes(
  tx: Tx,
  { tenantId }: Context,
  patientId: string,
  except: { code?: string; proof?: string | undefined } = {},
): Promise<void> {
  const { code, proof } = except;
  await tx.oneTimeCode.deleteMany({ where: { tenantId, patientId, ...(code && { id: { not: code } }) } });
  await tx.signInStep.deleteMany({
    where: { tenantId, patientId, ...(proof && { tokenHash: { not: sha256(proof) } }) },
  });
}
