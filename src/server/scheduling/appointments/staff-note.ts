import type { SetStaffNoteInput, StaffNoteView } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { loadAppointment, lockAppointment, presentNote, staffNoteBoundTo, VISIBLE_STATUSES } from './appointment.ts';

const present = (ctx: Context, row: Appointment): StaffNoteView => ({
  appointment_id: row.id,
  patient_id: row.patientId,
  note: presentNote(ctx, row),
});

/**
 * Returns the staff note of an appointment. Not available to patients, and never part of events and emails.
 *
 * @throws 404.
 */
export async function getStaffNote(ctx: Context, { id }: { id: string }): Promise<StaffNoteView> {
  requireScope(ctx.actor, 'appointments:read', { patients: false, staff: 'notes:read' });
  return present(ctx, await loadAppointment(ctx, id));
}

/**
 * Sets the staff note, or deletes it with null; also for an appointment that is over or canceled. The same note again
 * changes nothing. The audit log records the change, not the text.
 *
 * @throws 404.
 */
export async function setStaffNote(ctx: Context, { id, note }: SetStaffNoteInput): Promise<StaffNoteView> {
  requireScope(ctx.actor, 'appointments:write', { patients: false, staff: 'notes:write' });
  return ctx.db.$transaction(async (tx) => {
    const row = await lockAppointment(tx, ctx.tenantId, id);
    if (!row || !VISIBLE_STATUSES.includes(row.status)) throw notFound('appointment');
    if (presentNote(ctx, row) === note) return present(ctx, row);
    const after = await tx.appointment.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id } },
      // `version` stays, because it counts only the changes sent to the provider.
      data: { staffNote: note === null ? null : ctx.cipher.seal(note, staffNoteBoundTo(row)) },
    });
    const view = present(ctx, after);
    await record(tx, ctx, {
      action: 'appointments.set_note',
      object: { type: 'Appointment', id },
      patientId: row.patientId,
      response: view,
      details: { written: note !== null },
    });
    return view;
  });
}
