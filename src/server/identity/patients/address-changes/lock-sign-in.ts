import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { forgetCodes } from '../../proving/codes/forget-codes.ts';
import { forgetDevices } from '../../proving/known-device.ts';
import { endSessions } from '../../sessions/end-sessions.ts';

/**
 * Ends all that was begun in a patient's name and demands a reset. Codes and steps come first, which waits for whoever
 * is just using one up; then the lock, which every new session looks at; then the sessions, for by now there are all.
 * @returns since when the reset is demanded: what is undone for it is judged by that instant, so it is never earlier
 */
export async function lockSignIn(
  tx: Tx,
  ctx: Context,
  patientId: string,
  reason: 'change_undone' | 'helped',
): Promise<Date> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  await forgetCodes(tx, ctx, patientId);
  await tx.askedEmailChange.deleteMany({ where: { tenantId, patientId, confirmedAt: null } });
  const [locked] = await tx.$queryRaw<{ at: Date }[]>`
    update patient_sign_ins set reset_by = 'staff', reset_required_at = coalesce(reset_required_at, ${now}::timestamptz)
    where tenant_id = ${tenantId}::uuid and patient_id = ${patientId}::uuid
    returning reset_required_at as at`;
  await endSessions(tx, ctx, { patientId }, reason);
  await forgetDevices(tx, ctx, { patientId });
  return locked?.at ?? now;
}
