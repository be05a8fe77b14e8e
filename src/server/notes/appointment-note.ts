import type { SetStaffNoteInput, StaffNoteView } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { loadAppointment, lockVisibleAppointment } from '#server/scheduling/index.ts';
import { insertNote, lockNote, replaceText, textOfAppointment } from './note.ts';

const present = ({ id, patientId }: Appointment, note: string | null): StaffNoteView => ({
  appointment_id: id,
  patient_id: patientId,
  note,
});

/**
 * Returns the first note of an appointment. Not available to patients, and never part of events and emails.
 *
 * @throws 404.
 */
export async function getAppointmentNote(ctx: Context, { id }: { id: string }): Promise<StaffNoteView> {
  requireScope(ctx.actor, 'appointments:read', { patients: false, staff: 'notes:read' });
  const row = await loadAppointment(ctx, id);
  return present(row, textOfAppointment(ctx, row));
}

/**
 * Sets the first note of an appointment, or removes it with null; also for an appointment that is over or canceled. The
 * same text again changes nothing. The audit log records the change, not the text.
 *
 * @throws 404.
 */
export async function setAppointmentNote(ctx: Context, { id, note }: SetStaffNoteInput): Promise<StaffNoteView> {
  requireScope(ctx.actor, 'appointments:write', { patients: false, staff: 'notes:write' });
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const row = await lockVisibleAppointment(tx, ctx, id);
    const text = textOfAppointment(ctx, row);
    const view = present(row, note);
    if (text === note) return view;
    // One that was removed has a row, too.
    const isThere = text !== null || (await tx.note.findFirst({ where: { tenantId, id }, select: { id: true } }));
    if (isThere) await replaceText(tx, ctx, await lockNote(tx, ctx, id), note);
    else if (note !== null) await insertNote(tx, ctx, { id, patientId: row.patientId, appointmentId: id, text: note });
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
