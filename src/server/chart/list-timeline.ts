import { currentAction, storedActions, UNINDEXED_ACTIONS } from '#contract/audit-actions.ts';
import type { Permission } from '#contract/roles.ts';
import type { ListTimelineInput, TimelineEntryView, TimelineKind, TimelineView } from '#contract/timeline.ts';
import { findNames, presentActor } from '#server/audit/index.ts';
import { isStaff, requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { idTime, isId } from '#server/core/ids.ts';
import { readPage } from '#server/core/paging.ts';
import { listMerged } from '#server/patients/index.ts';
import { describeChange, GENERIC_ACTIONS, HIDDEN_ACTIONS, namesOfKind, TIMELINE_NAMES } from './describe-change.ts';
import { listPlanned } from './list-planned.ts';
import { REPEATED_REQUESTS } from './timeline/hidden-actions.ts';

/** An audit entry of a change to a patient's record or related objects. */
type ChangeRow = {
  id: string;
  position: bigint;
  /** As stored: possibly a former name. */
  action: string;
  event: string | null;
  patientId: string;
  objectType: string;
  objectId: string;
  actorType: string;
  actorId: string;
  onBehalfOf: string | null;
  details: Record<string, unknown>;
  createdAt: Date;
};
type ChangePosition = { at: Date; position: bigint };
type TimelineFilter = {
  patientId: string;
  /** Records that were merged into the patient's. */
  mergedIds?: string[];
  kind: TimelineKind | null;
  objectId: string | null;
  /** Whether it says that a note was written. */
  withNotes?: boolean;
};

const { sql } = Prisma;

/** Must equal the predicate of the partial index `audit_entries_changes_idx`, so that PostgreSQL uses it. */
const INDEXED = Prisma.raw(
  `outcome is null and action <> all (array[${UNINDEXED_ACTIONS.map((name) => `'${name}'`).join(', ')}])`,
);

/** The name used for the text, as in `nameOf` of `describe-change.ts`. */
const NAME = sql`case when event is null or (action <> all(${storedActions(GENERIC_ACTIONS)}::text[]) and action = any(${storedActions(TIMELINE_NAMES)}::text[]))
  then action else event end`;

/**
 * Builds the query for one patient's changes, by time and then by position in the log, the latest first. The index
 * skips reads and other entries of the tenant.
 */
export function changesOf(
  tenantId: string,
  { patientId, mergedIds = [], kind, objectId, withNotes = true }: TimelineFilter,
  { beyond, backwards, limit }: { beyond: ChangePosition | null; backwards: boolean; limit: number },
): Prisma.Sql {
  const side = backwards ? Prisma.raw('>') : Prisma.raw('<');
  const terms = [
    sql`tenant_id = ${tenantId}::uuid and ${INDEXED}`,
    // The index is in the order of the page for one patient only.
    mergedIds.length === 0
      ? sql`patient_id = ${patientId}::uuid`
      : sql`patient_id = any(${[patientId, ...mergedIds]}::uuid[]) and (patient_id = ${patientId}::uuid or not details ? 'merged_into')`,
    sql`action <> all(${storedActions(HIDDEN_ACTIONS)}::text[])`,
    // Excludes requests that changed nothing.
    sql`details ->> 'unchanged' is null and (event is not null or action <> all(${REPEATED_REQUESTS}::text[]))`,
    ...(kind ? [sql`${NAME} = any(${storedActions(namesOfKind(kind))}::text[])`] : []),
    ...(objectId ? [sql`object_id = ${objectId}`] : []),
    ...(withNotes
      ? []
      : [
          sql`action <> all(${storedActions(['appointments.set_note', 'notes.create', 'notes.update', 'notes.remove'])}::text[])`,
        ]),
    ...(beyond ? [sql`(created_at, position) ${side} (${beyond.at}::timestamptz, ${beyond.position}::bigint)`] : []),
  ];
  const direction = backwards ? Prisma.raw('asc') : Prisma.raw('desc');
  return sql`
    select id, position, action, event, patient_id as "patientId", object_type as "objectType", object_id as "objectId",
      actor_type as "actorType", actor_id as "actorId", on_behalf_of as "onBehalfOf", details, created_at as "createdAt"
    from audit_entries where ${Prisma.join(terms, ' and ')}
    order by created_at ${direction}, position ${direction} limit ${limit}::int`;
}

/** Returns the payloads of these changes' events that are still retained, by id. */
async function payloadsOf({ db, tenantId }: Context, ids: string[]): Promise<Map<string, Record<string, unknown>>> {
  const eventIds = ids.filter(isId);
  if (eventIds.length === 0) return new Map();
  // An id contains the time of its event, which selects the partition.
  const times = eventIds.map(idTime);
  const rows = await db.event.findMany({
    where: {
      tenantId,
      id: { in: eventIds },
      createdAt: { gte: new Date(Math.min(...times)), lte: new Date(Math.max(...times)) },
    },
    select: { id: true, payload: true },
  });
  return new Map(rows.map(({ id, payload }) => [id, payload as Record<string, unknown>]));
}

/** The originator behind an action of the system, by job; other jobs act for the service itself. */
const ORIGINATORS: Record<string, string> = {
  stripe_webhook: 'Stripe',
  refresh_subscription: 'Stripe',
  acuity_webhook: 'The clinic’s calendar',
  // A change found by a comparison rather than by a webhook.
  refresh_appointment: 'The clinic’s calendar',
  undo_address_change: 'The patient, by a link',
  confirm_email_change: 'The patient, by a link',
  close_sign_in: 'Carelane',
};
const FALLBACK_NAMES: Record<string, string> = {
  Admin: 'A former administrator',
  Practitioner: 'A former colleague',
  Staff: 'A former colleague',
  Application: 'An application',
  Patient: 'A patient',
  Visitor: 'A person with the link',
};

/** Returns the name of each change's actor. Entries store only ids, so it is the current name. */
async function findActorNames(ctx: Context, rows: ChangeRow[]): Promise<(row: ChangeRow) => string> {
  const names = await findNames(ctx, rows);
  return (row) => {
    if (row.actorType === 'System') return ORIGINATORS[row.actorId] ?? 'Carelane';
    if (row.actorType === 'Patient' && row.actorId === row.patientId) return 'The patient';
    const name = presentActor(row, names).name ?? FALLBACK_NAMES[row.actorType] ?? row.actorType;
    return row.onBehalfOf === null ? name : `${name}, in the name of the patient`;
  };
}

/** Staff who see subscriptions see what happened to one of them; everything else, appointments too, is the chart. */
const permissionFor = ({ object_id, kind }: ListTimelineInput): Permission =>
  object_id && kind === 'subscriptions' ? 'subscriptions:read' : 'charts:read';

/**
 * Lists a patient's timeline, the latest first: one line per change with its actor. Staff users only. Reads the audit
 * log, which is retained for years; an event, while it is retained, shares the id of its entry and adds the object's
 * state at that time.
 *
 * @throws not_found.
 */
export async function listTimeline(ctx: Context, input: ListTimelineInput): Promise<TimelineView> {
  requireStaff(ctx.actor, permissionFor(input));
  const { db, tenantId } = ctx;
  const { patient_id: patientId, kind = null, object_id: objectId = null } = input;
  const ids = await listMerged(ctx, patientId);
  const withNotes = !isStaff(ctx.actor) || ctx.actor.permissions.has('notes:read');
  const mergedIds = ids.filter((id) => id !== patientId);
  const filter: TimelineFilter = { patientId, mergedIds, kind, objectId, withNotes };
  const page = await readPage<ChangeRow, ChangePosition, ChangeRow>(
    input,
    {
      what: 'line of this timeline',
      async keyOf(id) {
        if (!isId(id)) return null;
        const select = { position: true, createdAt: true };
        const row = await db.auditEntry.findFirst({ where: { tenantId, id, patientId: { in: ids } }, select });
        return row && { at: row.createdAt, position: row.position };
      },
      read: ({ backwards, limit, beyond }) =>
        db.$queryRaw<ChangeRow[]>(changesOf(tenantId, filter, { beyond, backwards, limit })),
      // The page shows no total.
      count: async () => 0,
    },
    (row) => row,
  );
  const isFirst = !input.starting_after && !input.ending_before && objectId === null;
  return {
    ...page,
    items: await presentLines(ctx, patientId, page.items),
    planned: isFirst && (kind === null || kind === 'messages') ? await listPlanned(ctx, patientId) : [],
  };
}

const MERGED_RECORD = 'the record that was merged into this one';

async function presentLines(ctx: Context, patientId: string, rows: ChangeRow[]): Promise<TimelineEntryView[]> {
  const payloads = await payloadsOf(
    ctx,
    rows.filter(({ objectType }) => objectType === 'Appointment' || objectType === 'Subscription').map(({ id }) => id),
  );
  const [actorOf, objectOf] = await Promise.all([findActorNames(ctx, rows), findObjects(ctx, rows, payloads)]);
  /** Lines are ordered latest first. */
  const before = (row: ChangeRow) => {
    const older = rows
      .slice(rows.indexOf(row) + 1)
      .find(({ id, objectId }) => objectId === row.objectId && payloads.has(id));
    return older && payloads.get(older.id);
  };
  /** What is about the record itself says whose; appointments and subscriptions belong to the patient now. */
  const noteOf = ({ patientId: id, objectType }: ChangeRow, note: string | null) => {
    if (id === patientId || objectType !== 'Patient') return note;
    return note ? `${note} (on ${MERGED_RECORD})` : `On ${MERGED_RECORD}`;
  };
  return rows.map((row) => {
    const description = describeChange({
      ...row,
      action: currentAction(row.action),
      shown: payloads.get(row.id),
      before: before(row),
    });
    const { cancelReason, ...object } = objectOf(row) ?? { cancelReason: null };
    return {
      id: row.id,
      at: row.createdAt.toISOString(),
      ...description,
      note: noteOf(row, description.note ?? cancelReason),
      by: actorOf(row),
      about: 'id' in object ? object : null,
    };
  });
}

type TimelineObject = NonNullable<TimelineEntryView['about']> & {
  /** The reason of a cancellation, and whether the patient may read it. */
  cancelReason: string | null;
};
const CANCELED = 'appointment.canceled';
const RESCHEDULED = 'appointment.rescheduled';

/**
 * Returns names of appointments and subscriptions: from the event with the time of the appointment or, when it has
 * expired, from the current record without a time, which may have changed.
 */
async function findObjects(
  { db, tenantId, ...ctx }: Context,
  rows: ChangeRow[],
  payloads: Awaited<ReturnType<typeof payloadsOf>>,
) {
  const idsOf = (type: string) => [
    ...new Set(rows.filter(({ objectType }) => objectType === type).map(({ objectId }) => objectId)),
  ];
  const [appointments, subscriptions, messages] = await Promise.all([
    db.appointment.findMany({
      where: { tenantId, id: { in: idsOf('Appointment').filter(isId) } },
      select: {
        id: true,
        appointmentType: true,
        calendar: true,
        status: true,
        cancelReason: true,
        cancelReasonTold: true,
      },
    }),
    db.subscription.findMany({
      where: { tenantId, id: { in: idsOf('Subscription') } },
      select: { id: true, name: true },
    }),
    db.visitMessage.findMany({
      where: { tenantId, id: { in: idsOf('Message').filter(isId) } },
      select: { id: true, startAt: true, appointment: { select: { id: true, appointmentType: true, calendar: true } } },
    }),
  ]);
  const names = new Map<string, string | null>([
    ...appointments.map(({ id, appointmentType, calendar }) => [id, `${appointmentType}, ${calendar}`] as const),
    ...subscriptions.map(({ id, name }) => [id, name] as const),
  ]);
  const reasons = new Map(
    appointments.flatMap(({ id, status, cancelReason, cancelReasonTold }) => {
      if (status !== 'canceled' || !cancelReason) return [];
      const reason = ctx.cipher.open(cancelReason, `appointments/${tenantId}/${id}/cancel_reason`);
      return [
        [id, `“${reason}” (${cancelReasonTold === false ? 'not told to the patient' : 'the patient can read it'})`],
      ];
    }),
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
      .reduce<string | null>((time, older) => time ?? (older.objectId === row.objectId ? timeOf(older) : null), null);
    const now = timeOf(row);
    return before && now && Date.parse(before) === Date.parse(now) ? null : before;
  };
  const ofMessages = new Map(
    messages.map(({ id, startAt, appointment }) => [
      id,
      {
        ...{ id: appointment.id, name: `${appointment.appointmentType}, ${appointment.calendar}` },
        ...{ from_date: startAt.toISOString(), moved_from: null, cancelReason: null },
      },
    ]),
  );
  return (row: ChangeRow): TimelineObject | null => {
    const { id, objectType, objectId, event } = row;
    if (objectType === 'Message') return ofMessages.get(objectId) ?? null;
    if (objectType !== 'Appointment' && objectType !== 'Subscription') return null;
    const { appointment_type: type, calendar } = payloads.get(id) ?? {};
    const storedName = typeof type === 'string' && typeof calendar === 'string' ? `${type}, ${calendar}` : null;
    const reason = event === CANCELED ? reasons.get(objectId) : null;
    return {
      id: objectId,
      name: storedName ?? names.get(objectId) ?? null,
      from_date: timeOf(row),
      moved_from: event === RESCHEDULED ? timeBefore(row) : null,
      cancelReason: reason ?? null,
    };
  };
}
