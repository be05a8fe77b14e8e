import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { enqueue } from '#server/core/jobs.ts';

/** Several edits in a row make one call. */
const TOGETHER_MS = 2 * SECOND;

/**
 * Has a patient's name, e-mail address and number brought to the customer at Stripe, in the transaction that changes them;
 * nothing where there is none yet. The job reads what they are by then. A comparison, which may find
 * many that differ, says when.
 */
export async function queueCustomerUpdate(
  tx: Pick<Tx, '$executeRaw' | 'processorCustomer'>,
  { tenantId, clock }: Pick<Context, 'tenantId' | 'clock'>,
  patientId: string,
  runAt?: Date,
): Promise<void> {
  if ((await tx.processorCustomer.count({ where: { tenantId, patientId, deletedAt: null } })) === 0) return;
  const payload = { tenantId, patientId, ...(runAt && { found: 'comparison' as const }) };
  await enqueue(tx, 'update_customer', payload, {
    runAt: runAt ?? new Date(clock.now().getTime() + TOGETHER_MS),
    key: `update_customer:${patientId}`,
    keepEarlier: runAt !== undefined,
  });
}
