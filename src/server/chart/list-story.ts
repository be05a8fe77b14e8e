import type { Page } from '#contract/conventions.ts';
import type { ListStoryInput, StoryLineView } from '#contract/story.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { readPage } from '#server/core/paging.ts';
import { type ChangeRow, changesOf, type Narrowed, type Place, payloadsOf } from './read-changes.ts';
import { tell } from './tell.ts';
import { whoDid } from './who.ts';

/**
 * What happened to a patient, the latest first, a line for each change with who did it. Staff only. Error: not_found.
 */
export async function listStory(ctx: Context, input: ListStoryInput): Promise<Page<StoryLineView>> {
  requireStaff(ctx.actor);
  const { db, tenantId } = ctx;
  const { patient_id: patientId, kind = null, object_id: objectId = null } = input;
  const patient = await db.patient.findFirst({ where: { tenantId, id: patientId }, select: { id: true } });
  if (!patient) throw notFound('patient');
  const narrowed: Narrowed = { patientId, kind, objectId };
  const page = await readPage<ChangeRow, Place, ChangeRow>(
    input,
    {
      what: 'line of this story',
      async keyOf(id) {
        if (!isId(id)) return null;
        const select = { position: true, createdAt: true };
        const row = await db.auditEntry.findFirst({ where: { tenantId, id, patientId }, select });
        return row && { at: row.createdAt, position: row.position };
      },
      read: ({ backwards, limit, beyond }) =>
        db.$queryRaw<ChangeRow[]>(changesOf(tenantId, narrowed, { beyond, backwards, limit })),
      // Nobody needs to know how much has happened.
      count: async () => 0,
    },
    (row) => row,
  );
  return { ...page, items: await asLines(ctx, patientId, page.items) };
}

async function asLines(ctx: Context, patientId: string, rows: ChangeRow[]): Promise<StoryLineView[]> {
  const [by, about] = await Promise.all([whoDid(ctx, patientId, rows), thingsOf(ctx, rows)]);
  return rows.map((row) => ({
    id: row.id,
    at: row.createdAt.toISOString(),
    ...tell(row),
    by: by(row),
    about: about(row),
  }));
}

/**
 * What visits and subscriptions are called: as the event told it then, with the time of the visit, and where that is no
 * longer held as the record says now, without a time, for it may have been another one.
 */
async function thingsOf({ db, tenantId, ...ctx }: Context, rows: ChangeRow[]) {
  const idsOf = (type: string) => [
    ...new Set(rows.filter(({ objectType }) => objectType === type).map(({ objectId }) => objectId)),
  ];
  const [visits, subscriptions, payloads] = await Promise.all([
    db.appointment.findMany({
      where: { tenantId, id: { in: idsOf('Appointment').filter(isId) } },
      select: { id: true, appointmentType: true, calendar: true },
    }),
    db.subscription.findMany({
      where: { tenantId, id: { in: idsOf('Subscription') } },
      select: { id: true, name: true },
    }),
    payloadsOf(
      { ...ctx, db, tenantId },
      rows.filter(({ objectType }) => objectType === 'Appointment').map(({ id }) => id),
    ),
  ]);
  const names = new Map<string, string | null>([
    ...visits.map(({ id, appointmentType, calendar }) => [id, `${appointmentType}, ${calendar}`] as const),
    ...subscriptions.map(({ id, name }) => [id, name] as const),
  ]);
  return ({ id, objectType, objectId }: ChangeRow): StoryLineView['about'] => {
    if (objectType !== 'Appointment' && objectType !== 'Subscription') return null;
    const { appointment_type: type, calendar, from_date: from } = payloads.get(id) ?? {};
    const then = typeof type === 'string' && typeof calendar === 'string' ? `${type}, ${calendar}` : null;
    return {
      id: objectId,
      name: then ?? names.get(objectId) ?? null,
      from_date: typeof from === 'string' ? from : null,
    };
  };
}
