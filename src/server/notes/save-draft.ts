import type { SaveNoteDraftInput } from '#contract/notes.ts';
import { isStaff, requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { assertNotMerged } from '#server/patients/index.ts';
import { assertPatient, deleteDraft, findRepeated, lockWriting, openNotes, sealDraft } from './note.ts';

/**
 * Stores the caller's unfinished text, encrypted, for the caller alone; an empty text deletes it. It is not part of the
 * record yet, so the audit log has the note and not its drafts. For staff.
 * @throws `not_found`, and `patient_archived` for a record that was merged into another
 */
export async function saveNoteDraft(ctx: Context, input: SaveNoteDraftInput): Promise<{ saved: true }> {
  const { actor, tenantId } = ctx;
  requireStaff(actor, 'notes:write');
  if (!isStaff(actor)) throw notFound(input.target_type);
  const target = { targetType: input.target_type, targetId: input.target_id };
  await ctx.db.$transaction(async (tx) => {
    await lockWriting(tx, ctx, target);
    const { patientId, isSaved } = await readTarget(tx, ctx, input);
    await deleteDraft(tx, ctx, target);
    if (input.text.trim() === '' || isSaved) return;
    const id = newId(ctx.clock.now());
    await tx.noteDraft.create({
      data: {
        ...{ id, tenantId, staffUserId: actor.userId, patientId, ...target, version: input.version ?? null },
        ...{ body: sealDraft(ctx, id, input.text), updatedAt: ctx.clock.now() },
      },
    });
  });
  return { saved: true };
}

/** `isSaved`: the text has become the note already; the request was slower. */
type TargetState = { patientId: string; isSaved: boolean };

async function readTarget(
  tx: Tx,
  ctx: Context,
  { target_type, target_id, text }: SaveNoteDraftInput,
): Promise<TargetState> {
  const where = { tenantId: ctx.tenantId, id: target_id };
  if (target_type === 'note') {
    const row = await tx.note.findFirst({ where });
    if (!row) throw notFound('note');
    const { textOf } = await openNotes({ ...ctx, db: tx as Context['db'] }, [row]);
    return { patientId: row.patientId, isSaved: textOf(row) === text.trim() };
  }
  const isOfPatient = target_type === 'patient';
  if (isOfPatient) assertNotMerged(await assertPatient({ db: tx, tenantId: ctx.tenantId }, target_id));
  const appointment = isOfPatient ? null : await tx.appointment.findFirst({ where, select: { patientId: true } });
  if (!isOfPatient && !appointment) throw notFound('appointment');
  const patientId = appointment?.patientId ?? target_id;
  const about = { patientId, appointmentId: isOfPatient ? null : target_id, text: text.trim() };
  return { patientId, isSaved: (await findRepeated(tx, ctx, about)) !== null };
}
