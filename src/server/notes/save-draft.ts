import type { SaveNoteDraftInput } from '#contract/notes.ts';
import { isStaff, requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { deleteDraft, sealDraft } from './note.ts';

/**
 * Stores the caller's unfinished text, encrypted, for the caller alone; an empty text deletes it. It is not part of the
 * record yet, so the audit log has the note and not its drafts. For staff.
 * @throws `not_found`
 */
export async function saveNoteDraft(ctx: Context, input: SaveNoteDraftInput): Promise<{ saved: true }> {
  const { actor, tenantId } = ctx;
  requireStaff(actor, 'notes:write');
  if (!isStaff(actor)) throw notFound(input.target_type);
  const target = { targetType: input.target_type, targetId: input.target_id };
  await ctx.db.$transaction(async (tx) => {
    const patientId = await patientOf(tx, ctx, input);
    await deleteDraft(tx, ctx, target);
    if (input.text.trim() === '') return;
    const id = newId(ctx.clock.now());
    await tx.noteDraft.createMany({
      data: [
        {
          ...{ id, tenantId, staffUserId: actor.userId, patientId, ...target, version: input.version ?? null },
          ...{ body: sealDraft(ctx, id, input.text), updatedAt: ctx.clock.now() },
        },
      ],
      // Two tabs of the caller: the first to store its text wins, and the next change of the other replaces it.
      skipDuplicates: true,
    });
  });
  return { saved: true };
}

async function patientOf(
  tx: Tx,
  { tenantId }: Context,
  { target_type, target_id }: SaveNoteDraftInput,
): Promise<string> {
  const where = { tenantId, id: target_id };
  if (target_type === 'patient') {
    const patient = await tx.patient.findFirst({ where, select: { id: true } });
    if (patient) return patient.id;
  } else {
    const select = { patientId: true };
    const row =
      target_type === 'note'
        ? await tx.note.findFirst({ where, select })
        : await tx.appointment.findFirst({ where, select });
    if (row) return row.patientId;
  }
  throw notFound(target_type);
}
