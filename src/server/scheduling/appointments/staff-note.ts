import type { SetStaffNoteInput, StaffNoteView } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { loadAppointment, lockAppointment, presentNote, SHOWN, staffNoteBoundTo } from './appointment.ts';

const present = (ctx: Context, row: Appointment): StaffNoteView => ({
  appointment_id: row.id,
  patient_id: row.patientId,
  note: presentNote(ctx, row),
});

/** What staff noted for each other about a visit. Not open to patients; nothing of it leaves by events or mails. Error: 404. */
export async function getStaffNote(ctx: Context, { id }: { id: string }): Promise<StaffNoteView> {
  requireScope(ctx.actor, 'appointments:read', { patients: false });
  return present(ctx, await loadAppointment(ctx, id));
}

/**
 * Writes it anew, or takes it away by null; of a visit that is over or canceled too. The same again changes nothing. The log
 * says that it was written, never what. Error: 404.
 */
export async function setStaffNote(ctx: Context, { id, note }: SetStaffNoteInput): Promise<StaffNoteView> {
  requireScope(ctx.actor, 'appointments:write', { patients: false });
  return ctx.db.$transaction(async (tx) => {
    const row = await lockAppointment(tx, ctx.tenantId, id);
    if (!row || !SHOWN.includes(row.status)) throw notFound('appointment');
    if (presentNote(ctx, row) === note) return present(ctx, row);
    const after = await tx.appointment.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id } },
      // Not the version: it counts what the provider is asked for, and this is nothing of that.
      data: { staffNote: note === null ? null : ctx.cipher.seal(note, staffNoteBoundTo(row)) },
    });
    const view = present(ctx, after);
    await record(tx, ctx, {
      action: 'appointments.note',
      object: { type: 'Appointment', id },
      patientId: row.patientId,
      answer: view,
      details: { written: note !== null },
    });
    return view;
  });
}
