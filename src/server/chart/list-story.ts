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
 * Lists a patient's timeline, the latest first: one line per change with its actor. Staff users only. Reads the audit
 * log, which is retained for years; an event, while it is retained, shares the id of its entry and adds the object's
 * state at that time.
 *
 * @throws not_found.
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
      // The page shows no total.
      count: async () => 0,
    },
    (row) => row,
  );
  return { ...page, items: await asLines(ctx, patientId, page.items) };
}

async function asLines(ctx: Context, patientId: string, rows: ChangeRow[]): Promise<StoryLineView[]> {
  const shownBy = await payloadsOf(
    ctx,
    rows.filter(({ objectType }) => objectType === 'Appointment' || objectType === 'Subscription').map(({ id }) => id),
  );
  const [by, about] = await Promise.all([whoDid(ctx, patientId, rows), thingsOf(ctx, rows, shownBy)]);
  /** Lines are ordered latest first. */
  const before = (row: ChangeRow) => {
    const older = rows
      .slice(rows.indexOf(row) + 1)
      .find(({ id, objectId }) => objectId === row.objectId && shownBy.has(id));
    return older && shownBy.get(older.id);
  };
  return rows.map((row) => {
    const told = tell({ ...row, shown: shownBy.get(row.id), before: before(row) });
    const { why, ...thing } = about(row) ?? { why: null };
    return {
      id: row.id,
      at: row.createdAt.toISOString(),
      ...told,
      note: told.note ?? why,
      by: by(row),
      about: 'id' in thing ? thing : null,
    };
  });
}

type Thing = NonNullable<StoryLineView['about']> & {
  /** The reason of a cancellation. */
  why: string | null;
};
const CANCELED = 'appointment.canceled';
const MOVED = 'appointment.rescheduled';

/**
 * Returns names of appointments and subscriptions: from the event with the time of the appointment or, when it has
 * expired, from the current record without a time, which may have changed.
 */
async function thingsOf(
  { db, tenantId, ...ctx }: Context,
  rows: ChangeRow[],
  payloads: Awaited<ReturnType<typeof payloadsOf>>,
) {
  const idsOf = (type: string) => [
    ...new Set(rows.filter(({ objectType }) => objectType === type).map(({ objectId }) => objectId)),
  ];
  const [visits, subscriptions] = await Promise.all([
    db.appointment.findMany({
      where: { tenantId, id: { in: idsOf('Appointment').filter(isId) } },
      select: { id: true, appointmentType: true, calendar: true, status: true, cancelReason: true },
    }),
    db.subscription.findMany({
      where: { tenantId, id: { in: idsOf('Subscription') } },
      select: { id: true, name: true },
    }),
  ]);
  const names = new Map<string, string | null>([
    ...visits.map(({ id, appointmentType, calendar }) => [id, `${appointmentType}, ${calendar}`] as const),
    ...subscriptions.map(({ id, name }) => [id, name] as const),
  ]);
  const reasons = new Map(
    visits.flatMap(({ id, status, cancelReason }) =>
      status === 'canceled' && cancelReason
        ? [[id, ctx.cipher.open(cancelReason, `appointments/${tenantId}/${id}/cancel_reason`)]]
        : [],
    ),
  );
  const timeOf = ({ id }: ChangeRow): string | null => {
    const { from_date: from } = payloads.get(id) ?? {};
    return typeof from === 'string' ? from : null;
  };
  /**
   * Returns the previous time of a rescheduled appointment. Lines are ordered latest first. Null when only the calendar
   * changed.
   */
  const timeBefore = (row: ChangeRow): string | null => {
    const before = rows
      .slice(rows.indexOf(row) + 1)
      .reduce<string | null>((found, older) => found ?? (older.objectId === row.objectId ? timeOf(older) : null), null);
    const now = timeOf(row);
    return before && now && Date.parse(before) === Date.parse(now) ? null : before;
  };
  return (row: ChangeRow): Thing | null => {
    const { id, objectType, objectId, event } = row;
    if (objectType !== 'Appointment' && objectType !== 'Subscription') return null;
    const { appointment_type: type, calendar } = payloads.get(id) ?? {};
    const then = typeof type === 'string' && typeof calendar === 'string' ? `${type}, ${calendar}` : null;
    const reason = event === CANCELED ? reasons.get(objectId) : null;
    return {
      id: objectId,
      name: then ?? names.get(objectId) ?? null,
      from_date: timeOf(row),
      moved_from: event === MOVED ? timeBefore(row) : null,
      why: reason ? `“${reason}”` : null,
    };
  };
}
