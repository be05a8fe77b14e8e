import { storedActions } from '#contract/audit-actions.ts';
import type { NoteDraftView, NoteView } from '#contract/notes.ts';
import type { Appointment, Note, NoteDraft } from '#generated/prisma/client.ts';
import { findNames, presentActor } from '#server/audit/index.ts';
import { authorOf, isStaff } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, query, type Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { stamp, toMinute } from '#server/core/zone.ts';

/** Returns what binds an encrypted text to its row. */
const boundTo = (table: 'notes' | 'note_versions' | 'note_drafts', row: { tenantId: string; id: string }): string =>
  `${table}/${row.tenantId}/${row.id}/body`;
const boundToAppointment = (row: { tenantId: string; id: string }): string =>
  `appointments/${row.tenantId}/${row.id}/staff_note`;

/** The note that the API reads and sets by its appointment: its text is in the appointment's row. */
const isAppointmentNote = ({ id, appointmentId }: Pick<Note, 'id' | 'appointmentId'>): boolean => id === appointmentId;

type Sealed = { tenantId: string; id: string; body: Uint8Array | null };
const openBody = ({ cipher }: Pick<Context, 'cipher'>, table: 'notes' | 'note_versions', row: Sealed): string | null =>
  row.body && cipher.open(row.body, boundTo(table, row));

type Noted = Pick<Appointment, 'tenantId' | 'id' | 'staffNote'>;
/** Returns the text of an appointment's own note. */
export const textOfAppointment = ({ cipher }: Pick<Context, 'cipher'>, row: Noted): string | null =>
  row.staffNote && cipher.open(row.staffNote, boundToAppointment(row));

/** Returns the text of an earlier version. */
export const textOfVersion = (ctx: Pick<Context, 'cipher'>, row: Sealed): string | null =>
  openBody(ctx, 'note_versions', row);

const ABOUT = {
  tenantId: true,
  id: true,
  staffNote: true,
  appointmentType: true,
  startAt: true,
  timeZone: true,
} as const;
type About = Pick<Appointment, keyof typeof ABOUT>;

async function appointmentsOf({ db, tenantId }: Context, rows: Note[]): Promise<Map<string, About>> {
  const ids = [...new Set(rows.flatMap(({ appointmentId }) => appointmentId ?? []))];
  if (ids.length === 0) return new Map();
  const found = await db.appointment.findMany({ where: { tenantId, id: { in: ids } }, select: ABOUT });
  return new Map(found.map((row) => [row.id, row]));
}

/** Reads what notes are about, and returns a function that opens their texts. */
export async function openNotes(ctx: Context, rows: Note[]) {
  const appointments = await appointmentsOf(ctx, rows);
  const aboutOf = ({ appointmentId }: Note) => (appointmentId === null ? undefined : appointments.get(appointmentId));
  const textOf = (row: Note): string | null => {
    const about = isAppointmentNote(row) ? aboutOf(row) : undefined;
    return about ? textOfAppointment(ctx, about) : openBody(ctx, 'notes', row);
  };
  return { aboutOf, textOf };
}

/** Returns notes with their texts, the names of their authors, and what they are about. */
export async function presentNotes(ctx: Context, rows: Note[]): Promise<NoteView[]> {
  const [{ aboutOf, textOf }, names] = await Promise.all([
    openNotes(ctx, rows),
    findNames(
      ctx,
      rows.flatMap((row) => [
        { actorType: row.createdByType, actorId: row.createdBy },
        { actorType: row.updatedByType, actorId: row.updatedBy },
      ]),
    ),
  ]);
  const nameOf = (actorType: string, actorId: string) => presentActor({ actorType, actorId }, names).name;
  return rows.map((row) => {
    const about = aboutOf(row);
    return {
      id: row.id,
      patient_id: row.patientId,
      appointment: about
        ? {
            id: about.id,
            type: about.appointmentType,
            from_date: stamp(toMinute(about.startAt), about.timeZone),
            time_zone: about.timeZone,
          }
        : null,
      text: textOf(row),
      version: row.version,
      pinned: row.pinnedAt !== null,
      created_by_name: nameOf(row.createdByType, row.createdBy),
      created_at: row.createdAt.toISOString(),
      updated_by_name: nameOf(row.updatedByType, row.updatedBy),
      updated_at: row.updatedAt.toISOString(),
    };
  });
}

/**
 * Gives notes of appointments that have no row yet theirs: those that an earlier release wrote. Their author and time are
 * those of the last change in the audit log. `which` is the condition on the appointment, `a`.
 */
export async function addMissingRows(db: Parameters<typeof query>[0], ctx: Context, which: Prisma.Sql): Promise<void> {
  await query(
    db,
    Prisma.sql`
    insert into notes (id, tenant_id, patient_id, appointment_id, created_by_type, created_by, created_at,
      updated_by_type, updated_by, updated_at)
    select a.id, a.tenant_id, a.patient_id, a.id, coalesce(e.actor_type, 'System'), coalesce(e.actor_id, 'unknown'),
      coalesce(e.created_at, a.created_at), coalesce(e.actor_type, 'System'), coalesce(e.actor_id, 'unknown'),
      coalesce(e.created_at, a.created_at)
    from appointments a
    left join lateral (
      select actor_type, actor_id, created_at from audit_entries
      where tenant_id = a.tenant_id and object_type = 'Appointment' and object_id = a.id::text and outcome is null
        and action = any(${storedActions(['appointments.set_note'])}::text[]) and details ->> 'written' = 'true'
      order by created_at desc limit 1
    ) e on true
    where a.tenant_id = ${ctx.tenantId}::uuid and ${which} and a.staff_note is not null
      and not exists (select from notes n where n.tenant_id = a.tenant_id and n.id = a.id)
    on conflict do nothing`,
  );
}

export type LockedNote = { row: Note; text: string | null };

/** Reads and locks a note. @throws `not_found` */
export async function lockNote(tx: Tx, ctx: Context, id: string): Promise<LockedNote> {
  const { tenantId } = ctx;
  // Rows are locked in this order everywhere: the appointment, then its note.
  const [appointment] = await query<{ staff_note: Uint8Array | null }>(
    tx,
    Prisma.sql`select staff_note from appointments where tenant_id = ${tenantId}::uuid and id = ${id}::uuid for update`,
  );
  if (appointment?.staff_note) await addMissingRows(tx, ctx, Prisma.sql`a.id = ${id}::uuid`);
  await tx.$queryRaw`select 1 from notes where tenant_id = ${tenantId}::uuid and id = ${id}::uuid for update`;
  const row = await tx.note.findFirst({ where: { tenantId, id } });
  if (!row) throw notFound('note');
  ctx.trail.patients.add(row.patientId);
  const text = appointment
    ? textOfAppointment(ctx, { tenantId, id, staffNote: appointment.staff_note as Uint8Array<ArrayBuffer> | null })
    : openBody(ctx, 'notes', row);
  return { row, text };
}

type NewNote = { id: string; patientId: string; appointmentId: string | null; text: string; isPinned?: boolean };

export async function insertNote(tx: Tx, ctx: Context, note: NewNote): Promise<Note> {
  const { tenantId } = ctx;
  const { id, patientId, appointmentId, text, isPinned = false } = note;
  const at = ctx.clock.now();
  const { type, id: author } = authorOf(ctx.actor);
  return tx.note.create({
    data: {
      ...{ id, tenantId, patientId, appointmentId, pinnedAt: isPinned ? at : null },
      body: await store(tx, ctx, { tenantId, id, appointmentId }, text),
      ...{ createdByType: type, createdBy: author, createdAt: at },
      ...{ updatedByType: type, updatedBy: author, updatedAt: at },
    },
  });
}

/** Stores the text of an appointment's own note in its column; returns the body of any other. */
async function store(
  tx: Tx,
  { cipher }: Context,
  row: Pick<Note, 'tenantId' | 'id' | 'appointmentId'>,
  text: string | null,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { tenantId, id } = row;
  if (!isAppointmentNote(row)) return text === null ? null : cipher.seal(text, boundTo('notes', row));
  await tx.appointment.update({
    where: { tenantId_id: { tenantId, id } },
    // `version` stays, because it counts only the changes sent to the provider.
    data: { staffNote: text === null ? null : cipher.seal(text, boundToAppointment(row)) },
  });
  return null;
}

/** Replaces the text, which stays as an earlier version. */
export async function replaceText(tx: Tx, ctx: Context, { row, text }: LockedNote, next: string | null): Promise<Note> {
  const { tenantId, cipher } = ctx;
  const at = ctx.clock.now();
  const { type, id: author } = authorOf(ctx.actor);
  const id = newId(at);
  await tx.noteVersion.create({
    data: {
      ...{ id, tenantId, patientId: row.patientId, noteId: row.id, version: row.version },
      body: text === null ? null : cipher.seal(text, boundTo('note_versions', { tenantId, id })),
      ...{ writtenByType: row.updatedByType, writtenBy: row.updatedBy, writtenAt: row.updatedAt },
    },
  });
  return tx.note.update({
    where: { tenantId_id: { tenantId, id: row.id } },
    data: {
      body: await store(tx, ctx, row, next),
      version: row.version + 1,
      updatedByType: type,
      updatedBy: author,
      updatedAt: at,
    },
  });
}

type PatientDb = { db: Pick<Tx, 'patient'>; tenantId: string };

/** @throws `not_found` */
export async function assertPatient({ db, tenantId }: PatientDb, id: string): Promise<{ mergedInto: string | null }> {
  const patient = await db.patient.findFirst({ where: { tenantId, id }, select: { mergedInto: true } });
  if (!patient) throw notFound('patient');
  return patient;
}

/** Serializes what the caller writes in several windows about one thing. */
export const lockWriting = (tx: Tx, { tenantId, actor }: Context, { targetType, targetId }: Target) =>
  tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`note:${tenantId}:${authorOf(actor).id}:${targetType}:${targetId}`}, 0))`;

type Written = { patientId: string; appointmentId: string | null; text: string };

const REPEATED_WITHIN_MS = 2 * MINUTE;

/** Returns the caller's latest note if it is the same, written just now: its response may not have reached them. */
export async function findRepeated(
  tx: Tx,
  ctx: Context,
  { patientId, appointmentId, text }: Written,
): Promise<Note | null> {
  const { tenantId, clock, actor } = ctx;
  const since = new Date(clock.now().getTime() - REPEATED_WITHIN_MS);
  const last = await tx.note.findFirst({
    where: { tenantId, patientId, appointmentId, createdBy: authorOf(actor).id, createdAt: { gte: since } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  if (!last) return null;
  const { textOf } = await openNotes({ ...ctx, db: tx as Context['db'] }, [last]);
  return textOf(last) === text ? last : null;
}

/** Deletes the caller's draft, whose text is saved now. */
export const deleteDraft = (tx: Pick<Tx, 'noteDraft'>, { actor, tenantId }: Context, target: Target) =>
  isStaff(actor) ? tx.noteDraft.deleteMany({ where: { tenantId, staffUserId: actor.userId, ...target } }) : null;

export type Target = { targetType: NoteDraftView['target_type']; targetId: string };

export const sealDraft = ({ cipher, tenantId }: Context, id: string, text: string) =>
  cipher.seal(text, boundTo('note_drafts', { tenantId, id }));

export const presentDraft = ({ cipher }: Context, row: NoteDraft): NoteDraftView => ({
  target_type: row.targetType as NoteDraftView['target_type'],
  target_id: row.targetId,
  text: cipher.open(row.body, boundTo('note_drafts', row)),
  version: row.version,
  updated_at: row.updatedAt.toISOString(),
});
