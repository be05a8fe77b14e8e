import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { enqueue } from '#server/core/jobs.ts';

/** Delay that combines several edits into one call. */
const TOGETHER_MS = 2 * SECOND;

/**
 * Queues a job that copies the patient's name, email and phone number to the Stripe customer, in the transaction that
 * changes them; no-op without a customer. The job reads the values when it runs. `runAt` is set by a comparison, which
 * may queue many.
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
