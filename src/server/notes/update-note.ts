import type { NoteView, UpdateNoteInput } from '#contract/notes.ts';
import type { Note } from '#generated/prisma/client.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { deleteDraft, lockNote, lockWriting, presentNotes, replaceText } from './note.ts';

/**
 * Changes the text of a note, removes it, or pins it. Earlier texts stay. The same text again changes nothing. For staff.
 * @throws `not_found`, 409 `conflict` when the text is no longer of the version that it replaces
 */
export async function updateNote(ctx: Context, input: UpdateNoteInput): Promise<NoteView> {
  requireStaff(ctx.actor, 'notes:write');
  const row = await ctx.db.$transaction((tx) => change(tx, ctx, input));
  const [view] = await presentNotes(ctx, [row]);
  return view!;
}

async function change(tx: Tx, ctx: Context, { id, text, version, pinned }: UpdateNoteInput): Promise<Note> {
  const target = { targetType: 'note', targetId: id } as const;
  if (text !== undefined) await lockWriting(tx, ctx, target);
  const before = await lockNote(tx, ctx, id);
  const { patientId, pinnedAt } = before.row;
  let { row } = before;
  const isRewritten = text !== undefined && text !== before.text;
  if (isRewritten) {
    if (version !== row.version)
      throw apiError('conflict', 'The note has been changed since it was read.', {
        people: 'A colleague has changed this note in the meantime.',
        meta: { version: row.version },
      });
    row = await replaceText(tx, ctx, before, text);
  }
  const isPinChanged = pinned !== undefined && pinned !== (pinnedAt !== null);
  if (isPinChanged)
    row = await tx.note.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id } },
      data: { pinnedAt: pinned ? ctx.clock.now() : null },
    });
  if (text !== undefined) await deleteDraft(tx, ctx, target);
  if (isRewritten || isPinChanged)
    await record(tx, ctx, {
      action: isRewritten && text === null ? 'notes.remove' : 'notes.update',
      object: { type: 'Note', id },
      patientId,
      details: {
        fields: [...(isRewritten ? ['text'] : []), ...(isPinChanged ? ['pinned'] : [])],
        ...(isPinChanged && { pinned }),
      },
    });
  return row;
}
