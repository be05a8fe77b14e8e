import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { lockCall, presentCall } from './call.ts';
import { ABANDONED_AFTER_S } from './seat.ts';
import { assertRoomOpen } from './take-seat.ts';
import { actingStaff, loadVisit } from './visit.ts';

/**
 * Lets the waiting patient into the call. Idempotent.
 *
 * @throws forbidden, not_found; errors of `assertRoomOpen`; 409 `conflict` when the caller does not hold the staff seat,
 * or no patient is waiting.
 */
export async function admitPatient(ctx: Context, { id }: { id: string }): Promise<{ admitted: true }> {
  const staffId = actingStaff(ctx);
  const visit = await loadVisit(ctx, id);
  assertRoomOpen(ctx, visit);
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  await ctx.db.$transaction(async (tx) => {
    await lockCall(tx, ctx, visit);
    const own = await tx.visitSeat.findFirst({
      where: { tenantId, appointmentId: id, side: 'staff', staffId, leftAt: null },
    });
    if (!own)
      throw apiError('conflict', 'You are not in this visit.', { people: 'Join the visit first, then let them in.' });
    const admitted = await tx.$executeRaw`
      update visit_seats set admitted_at = coalesce(admitted_at, ${now}::timestamptz)
      where tenant_id = ${tenantId}::uuid and appointment_id = ${id}::uuid and side = 'patient' and left_at is null
        and heard_at > clock_timestamp() - ${ABANDONED_AFTER_S}::int * interval '1 second'`;
    if (admitted === 0)
      throw apiError('conflict', 'No patient is waiting.', { people: 'The patient is not there at the moment.' });
    const { count } = await tx.visitCall.updateMany({
      where: { tenantId, appointmentId: id, startedAt: null },
      data: { startedAt: now },
    });
    await record(tx, ctx, {
      action: 'visits.admit',
      object: { type: 'Appointment', id },
      patientId: visit.patientId,
      ...(count > 0 && { event: 'visit.started', payload: await presentCall(tx, ctx, visit) }),
    });
  });
  ctx.calls.notify(tenantId, id);
  return { admitted: true };
}
