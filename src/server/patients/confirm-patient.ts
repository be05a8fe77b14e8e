import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { type Change, type EventName, record } from '#server/core/record.ts';
import { findPatient } from './find-patient.ts';
import { presentPatient } from './present-patient.ts';
import { tenantToday } from './tenant-today.ts';

/** Verification flags to set or reset; `canSignIn` is set by the first verification after sign-up. */
type Proved = { emailVerified?: boolean; phoneNumberVerified?: boolean; canSignIn?: true; status?: 'active' };
type Confirming = { id: string; proved: Proved; action: string; event: EventName } & Pick<Change, 'details'>;

/** Updates what a patient has verified, in the caller's transaction. */
export async function confirmPatient(
  tx: Tx,
  ctx: Context,
  { id, proved, action, event, details = {} }: Confirming,
): Promise<void> {
  await tx.patient.update({
    where: { tenantId_id: { tenantId: ctx.tenantId, id } },
    data: { ...proved, updatedAt: ctx.clock.now() },
  });
  const payload = presentPatient((await findPatient(tx, ctx.tenantId, id))!, await tenantToday({ ...ctx, db: tx }));
  await record(tx, ctx, { action, object: { type: 'Patient', id }, patientId: id, event, payload, details });
}
