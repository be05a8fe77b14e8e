import type { CreateNoteInput, NoteView } from '#contract/notes.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { assertNotMerged } from '#server/patients/index.ts';
import { lockVisibleAppointment } from '#server/scheduling/index.ts';
import { assertPatient, deleteDraft, findRepeated, insertNote, lockWriting, presentNotes } from './note.ts';

/**
 * Writes a note about a patient or one of their appointments, and deletes its draft. The same again returns the first. There is no event: a note leaves the
 * service only in the export of the patient. For staff.
 * @throws `not_found`, and `patient_archived` for a record that was merged into another
 */
export async function createNote(ctx: Context, input: CreateNoteInput): Promise<NoteView> {
  requireStaff(ctx.actor, 'notes:write');
  const { tenantId } = ctx;
  const { patient_id: patientId, appointment_id: appointmentId = null, text, pinned = false } = input;
  const row = await ctx.db.$transaction(async (tx) => {
    assertNotMerged(await assertPatient({ db: tx, tenantId }, patientId));
    const target = {
      targetType: appointmentId === null ? 'patient' : 'appointment',
      targetId: appointmentId ?? patientId,
    } as const;
    await lockWriting(tx, ctx, target);
    const repeated = await findRepeated(tx, ctx, { patientId, appointmentId, text });
    if (repeated) {
      await deleteDraft(tx, ctx, target);
      return repeated;
    }
    const id =
      (appointmentId !== null && (await freeIdOf(tx, ctx, appointmentId, patientId))) || newId(ctx.clock.now());
    const created = await insertNote(tx, ctx, { id, patientId, appointmentId, text, isPinned: pinned });
    await deleteDraft(tx, ctx, target);
    await record(tx, ctx, {
      action: 'notes.create',
      object: { type: 'Note', id },
      patientId,
      details: { ...(appointmentId && { about: 'appointment' }) },
    });
    return created;
  });
  const [view] = await presentNotes(ctx, [row]);
  return view!;
}

/** The first note of an appointment has its id, by which the API reads it. Returns null when it is written already. */
async function freeIdOf(tx: Tx, ctx: Context, id: string, patientId: string): Promise<string | null> {
  const appointment = await lockVisibleAppointment(tx, ctx, id);
  if (appointment.patientId !== patientId) throw notFound('appointment');
  const isTaken =
    appointment.staffNote !== null ||
    (await tx.note.findFirst({ where: { tenantId: ctx.tenantId, id }, select: { id: true } })) !== null;
  return isTaken ? null : id;
}
