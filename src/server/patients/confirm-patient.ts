import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { type EventName, record } from '#server/core/record.ts';
import { presentPatient } from './present-patient.ts';
import { readPatient } from './read-patient.ts';
import { tenantToday } from './tenant-today.ts';

/** What a patient proved to be theirs; `canSignIn` with the first proof after signing up. */
type Proved = { emailVerified?: true; phoneNumberVerified?: true; canSignIn?: true; status?: 'active' };

/** Notes what a patient has proved, in the caller's transaction. */
export async function confirmPatient(
  tx: Tx,
  ctx: Context,
  { id, proved, action, event }: { id: string; proved: Proved; action: string; event: EventName },
): Promise<void> {
  await tx.patient.update({
    where: { tenantId_id: { tenantId: ctx.tenantId, id } },
    data: { ...proved, updatedAt: ctx.clock.now() },
  });
  const payload = presentPatient((await readPatient(tx, ctx.tenantId, id))!, await tenantToday({ ...ctx, db: tx }));
  await record(tx, ctx, { action, object: { type: 'Patient', id }, patientId: id, event, payload });
}
