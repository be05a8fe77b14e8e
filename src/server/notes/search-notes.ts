import type { FoundNotes, SearchNotesInput } from '#contract/notes.ts';
import type { Note } from '#generated/prisma/client.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { fold } from '#server/patients/index.ts';
import { addMissingRows, assertPatient, openNotes, presentNotes } from './note.ts';

/** Rows that are decrypted together. */
const BATCH = 200;
const MAX_FOUND = 100;

/**
 * Finds the notes about a patient that contain every word of the search, pinned ones first, then the latest first; at most
 * 100. Texts are encrypted, so each of the patient's notes is read. For staff.
 * @throws `not_found`
 */
export async function searchNotes(ctx: Context, { patient_id, search }: SearchNotesInput): Promise<FoundNotes> {
  requireStaff(ctx.actor, 'notes:read');
  await assertPatient(ctx, patient_id);
  const words = fold(search).split(/\s+/).filter(Boolean);
  if (words.length === 0) return { items: [], more: false };
  await addMissingRows(ctx.db, ctx, Prisma.sql`a.patient_id = ${patient_id}::uuid`);
  const found: Note[] = [];
  for await (const rows of batchesOf(ctx, patient_id)) {
    const { textOf } = await openNotes(ctx, rows);
    for (const row of rows) {
      const text = fold(textOf(row) ?? '');
      if (words.every((word) => text.includes(word))) found.push(row);
    }
    if (found.length > MAX_FOUND) break;
  }
  return { items: await presentNotes(ctx, found.slice(0, MAX_FOUND)), more: found.length > MAX_FOUND };
}

async function* batchesOf({ db, tenantId }: Context, patientId: string): AsyncGenerator<Note[]> {
  for (const pinnedAt of [{ not: null }, null]) {
    for (let skip = 0, isMore = true; isMore; skip += BATCH) {
      const rows = await db.note.findMany({
        where: { tenantId, patientId, pinnedAt },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        skip,
        take: BATCH,
      });
      yield rows;
      isMore = rows.length === BATCH;
    }
  }
}
