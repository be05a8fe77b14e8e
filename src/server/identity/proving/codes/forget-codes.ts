import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';

/**
 * Ends what waits to be finished in a patient's name, when an address of theirs has changed: who has only the old one
 * must not finish what it began there. The code and the proof that made the change stay, for its repetition.
 */
export async function forgetCodes(
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
