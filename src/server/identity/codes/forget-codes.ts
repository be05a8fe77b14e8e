import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';

/**
 * Ends what waits to be finished in a patient's name, when an address of theirs has changed: who has only the old one
 * must not finish what it began there.
 */
export async function forgetCodes(tx: Tx, { tenantId }: Context, patientId: string, exceptId: string): Promise<void> {
  await tx.oneTimeCode.deleteMany({ where: { tenantId, patientId, id: { not: exceptId } } });
  await tx.signInStep.deleteMany({ where: { tenantId, patientId } });
}
