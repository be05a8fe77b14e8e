import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { endSessions } from '../../sessions/end-sessions.ts';
import { deleteKnownDevices } from '../../verification/known-device.ts';
import { deleteCodesAndSteps } from '../../verification/steps.ts';

/**
 * Ends every session and pending step of a patient and requires a reset. Codes and steps come first, which waits for a
 * request that is using one; then the lock, which every new session checks; then the sessions, which are complete by
 * now.
 * @param now the caller's only reading of the clock, which it also writes to the changes that it undoes
 * @returns since when the reset is required, which may be before or after `now`: another process may have set it
 */
export async function lockSignIn(
  tx: Tx,
  ctx: Context,
  patientId: string,
  { reason, now }: { reason: 'change_undone' | 'helped'; now: Date },
): Promise<Date> {
  const { tenantId } = ctx;
  await deleteCodesAndSteps(tx, ctx, patientId);
  await tx.askedEmailChange.deleteMany({ where: { tenantId, patientId, confirmedAt: null } });
  const [locked] = await tx.$queryRaw<{ at: Date }[]>`
    update patient_sign_ins set reset_by = 'staff', reset_required_at = coalesce(reset_required_at, ${now}::timestamptz)
    where tenant_id = ${tenantId}::uuid and patient_id = ${patientId}::uuid
    returning reset_required_at as at`;
  await endSessions(tx, ctx, { patientId }, reason);
  await deleteKnownDevices(tx, ctx, { patientId });
  return locked?.at ?? now;
}
