import type { VisitCallPayload } from '#contract/visits.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { record } from '#server/core/record.ts';
import { lockCall, presentCall } from './call.ts';
import { vacateSeats } from './seat.ts';
import { actingStaff, loadVisitAppointment } from './visit.ts';

/**
 * Ends the call of an appointment: all seats are vacated and their signals deleted. Idempotent; a later join starts a
 * new call.
 *
 * @throws forbidden, not_found.
 */
export async function endCall(ctx: Context, { id }: { id: string }): Promise<{ ended: boolean }> {
  actingStaff(ctx, 'visits:host');
  const appointment = await loadVisitAppointment(ctx, id);
  return { ended: await endCallOf(ctx, appointment, async () => 'staff') };
}

export type EndedBy = NonNullable<VisitCallPayload['ended_by']>;

/**
 * Ends the call for the side that `decide` returns, which runs under the call's lock; null leaves the call as it is.
 *
 * @returns false when no call is in progress, or it continues
 */
export async function endCallOf(
  ctx: Context,
  appointment: Pick<Appointment, 'id' | 'patientId'>,
  decide: (tx: Tx) => Promise<EndedBy | null>,
): Promise<boolean> {
  const { tenantId } = ctx;
  const ended = await ctx.db.$transaction(async (tx) => {
    await lockCall(tx, ctx, appointment);
    const by = await decide(tx);
    if (by === null) return false;
    const { count } = await tx.visitCall.updateMany({
      where: { tenantId, appointmentId: appointment.id, endedAt: null },
      data: { endedAt: ctx.clock.now(), endedBy: by },
    });
    if (count === 0) return false;
    await vacateSeats(tx, ctx, { appointmentId: appointment.id }, 'ended');
    await record(tx, ctx, {
      action: 'visits.end_call',
      object: { type: 'Appointment', id: appointment.id },
      patientId: appointment.patientId,
      event: 'visit.ended',
      payload: await presentCall(tx, ctx, appointment),
      details: { by },
    });
    return true;
  });
  if (ended) ctx.calls.notify(tenantId, appointment.id);
  return ended;
}
