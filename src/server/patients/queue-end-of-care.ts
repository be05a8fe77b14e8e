import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { dequeue, enqueue } from '#server/core/jobs.ts';
import { lockCareStatus } from './in-care.ts';

type Db = Pick<Tx, '$executeRaw' | '$queryRaw'>;
type Needs = Pick<Context, 'tenantId' | 'clock'>;
const keyOf = (patientId: string): string => `end_care:${patientId}`;
type Pause = { tries: number; pauseMs: number };

/**
 * Queues the job that ends a patient's appointments and subscriptions, now or after a pause; at most one job per
 * patient.
 */
export function queueEndOfCare(
  tx: Db,
  { tenantId, clock }: Needs,
  patientId: string,
  { tries, pauseMs }: Pause = { tries: 0, pauseMs: 0 },
): Promise<void> {
  const runAt = new Date(clock.now().getTime() + pauseMs);
  return enqueue(tx, 'end_care', { tenantId, patientId, tries }, { runAt, key: keyOf(patientId) });
}

/** Removes the job when nothing is left to end. */
export const dequeueEndOfCare = (tx: Db, patientId: string): Promise<void> => dequeue(tx, keyOf(patientId));

/**
 * Queues the job for a new appointment or subscription of a patient whose care has ended in the meantime; called last
 * in its transaction. A concurrent archiving either waits for this transaction or is seen here.
 */
export async function endCareIfArchived(tx: Db, ctx: Needs, patientId: string): Promise<void> {
  const care = await lockCareStatus(tx, ctx, patientId);
  if (care && (care.status === 'archived' || care.careEndingAt)) await queueEndOfCare(tx, ctx, patientId);
}
