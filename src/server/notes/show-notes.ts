import type { NotesPage, NoteVersionView, ShowNotesInput } from '#contract/notes.ts';
import { findNames, presentActor } from '#server/audit/index.ts';
import { isStaff, requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { beyondInstant, readPage } from '#server/core/paging.ts';
import { addMissingRows, assertPatient, presentDraft, presentNotes, textOfVersion } from './note.ts';

/**
 * Lists the notes about a patient or one of their appointments, pinned ones first, then the latest first; on the first page
 * with the caller's own drafts about the patient. For staff.
 * @throws `not_found`
 */
export async function showNotes(ctx: Context, input: ShowNotesInput): Promise<NotesPage> {
  requireStaff(ctx.actor, 'notes:read');
  const { db, tenantId, actor } = ctx;
  const { patient_id: patientId, appointment_id: appointmentId, ...paging } = input;
  await assertPatient(ctx, patientId);
  await addMissingRows(db, ctx, Prisma.sql`a.patient_id = ${patientId}::uuid`);
  const all = { tenantId, patientId, ...(appointmentId && { appointmentId }) };
  const unpinned = { ...all, pinnedAt: null };
  const isFirst = input.starting_after === undefined;
  const mayWrite = isStaff(actor) && actor.permissions.has('notes:write');
  const [pinned, page, drafts] = await Promise.all([
    isFirst
      ? db.note.findMany({
          where: { ...all, pinnedAt: { not: null } },
          orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        })
      : [],
    readPage(
      paging,
      {
        what: 'note',
        async keyOf(id) {
          const row = await db.note.findFirst({ where: { ...all, id }, select: { createdAt: true } });
          return row && { at: row.createdAt, id };
        },
        read: ({ limit, beyond }) =>
          db.note.findMany({
            where: beyond ? { AND: [unpinned, beyondInstant('createdAt', beyond, false)] } : unpinned,
            orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
            take: limit,
          }),
        count: (take) => db.note.count({ where: all, ...(take && { take }) }),
      },
      (row) => row,
    ),
    isFirst && isStaff(actor) && mayWrite
      ? db.noteDraft.findMany({ where: { tenantId, staffUserId: actor.userId, patientId } })
      : [],
  ]);
  const items = await presentNotes(ctx, [...pinned, ...page.items]);
  return { ...page, items, drafts: drafts.map((row) => presentDraft(ctx, row)) };
}

/** Lists the earlier texts of a note, the latest first. For staff. @throws `not_found` */
export async function listNoteVersions(ctx: Context, { id }: { id: string }): Promise<NoteVersionView[]> {
  requireStaff(ctx.actor, 'notes:read');
  const { db, tenantId } = ctx;
  const note = await db.note.findFirst({ where: { tenantId, id }, select: { patientId: true } });
  if (!note) throw notFound('note');
  ctx.trail.patients.add(note.patientId);
  const rows = await db.noteVersion.findMany({ where: { tenantId, noteId: id }, orderBy: { version: 'desc' } });
  const authors = rows.map((row) => ({ actorType: row.writtenByType, actorId: row.writtenBy }));
  const names = await findNames(ctx, authors);
  return rows.map((row, n) => ({
    version: row.version,
    text: textOfVersion(ctx, row),
    written_by_name: presentActor(authors[n]!, names).name,
    written_at: row.writtenAt.toISOString(),
  }));
}
