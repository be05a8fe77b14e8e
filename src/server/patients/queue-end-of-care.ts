import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { dequeue, enqueue } from '#server/core/jobs.ts';
import { holdCare } from './in-care.ts';

type Db = Pick<Tx, '$executeRaw' | '$queryRaw'>;
type Needs = Pick<Context, 'tenantId' | 'clock'>;
const keyOf = (patientId: string): string => `end_care:${patientId}`;
type Pause = { tries: number; pauseMs: number };

/** Has the job end what runs on for a patient, now or after a pause; it waits once for each patient. */
export function queueEndOfCare(
  tx: Db,
  { tenantId, clock }: Needs,
  patientId: string,
  { tries, pauseMs }: Pause = { tries: 0, pauseMs: 0 },
): Promise<void> {
  const runAt = new Date(clock.now().getTime() + pauseMs);
  return enqueue(tx, 'end_care', { tenantId, patientId, tries }, { runAt, key: keyOf(patientId) });
}

/** There is nothing left for it to do. */
export const unqueueEndOfCare = (tx: Db, patientId: string): Promise<void> => dequeue(tx, keyOf(patientId));

/**
 * For a visit or a subscription that has just come to be, last in its transaction: where the patient's care has ended
 * meanwhile, it ends too. Whoever archives in the same moment either waits for this or is seen here.
 */
export async function endIfTooLate(tx: Db, ctx: Needs, patientId: string): Promise<void> {
  const care = await holdCare(tx, ctx, patientId);
  if (care && (care.status === 'archived' || care.careEndingAt)) await queueEndOfCare(tx, ctx, patientId);
}
