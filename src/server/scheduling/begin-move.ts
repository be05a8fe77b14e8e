import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { holdInCare } from '#server/patients/assert-in-care.ts';
import { lockAppointment, type PendingChange, pendingChange } from './appointment-row.ts';
import { resolveLater } from './begin-booking.ts';
import { claimSlot, type Overlap } from './slot-claims.ts';

/**
 * The intent of a move, with the new time claimed beside the old. Null when another appointment holds the new time. A
 * move to the same time whose outcome is not known is taken up again: Acuity moves to a time it is at without effect.
 */
export async function beginMove(
  ctx: Context,
  seen: Appointment,
  startAt: Date,
  overlap: Overlap,
): Promise<Appointment | null> {
  return ctx.db.$transaction(async (tx) => {
    const row = await lockAppointment(tx, ctx.tenantId, seen.id);
    if (row?.status !== 'scheduled') throw refuse('not_reschedulable', 'It has been canceled meanwhile.');
    const to = startAt.toISOString();
    const open = pendingChange(row);
    if (open && !(open.unknown && open.to === to))
      throw refuse('conflict', 'Another change of this appointment is under way; try again in a minute.');
    if (row.startAt.getTime() !== seen.startAt.getTime())
      throw refuse('conflict', 'This appointment has just been moved; read it again.', {
        people: 'This visit has just been moved. Look at it again.',
      });
    if (!open) {
      const endAt = new Date(startAt.getTime() + row.endAt.getTime() - row.startAt.getTime());
      const slot = { appointmentId: row.id, patientId: row.patientId, calendarId: row.calendarId, startAt, endAt };
      if (!(await claimSlot(tx, ctx, slot, overlap))) return null;
    }
    await holdInCare(tx, ctx, row.patientId);
    await resolveLater(tx, ctx, row.id);
    return tx.appointment.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id: row.id } },
      data: {
        pendingChange: { kind: 'move', to, unknown: false } satisfies PendingChange,
        version: { increment: 1 },
        updatedAt: ctx.clock.now(),
      },
    });
  });
}
