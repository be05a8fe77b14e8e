import type { EventTopic, EventType } from '#contract/event-types.ts';
import { eventNameOf, selectEvents } from '#contract/event-types.ts';
import type { EventView } from '#contract/events.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { invalidParameter } from '#server/core/errors.ts';
import type { EventSummary } from './followers.ts';

type FilterInput = {
  event_type?: EventType[] | undefined;
  event_topic?: EventTopic[] | undefined;
  object_id?: string | undefined;
  patient_id?: string | undefined;
};

/** `names` is null for all types and topics. */
export type Filter = { names: [EventType, EventTopic][] | null; objectId: string | null; patientId: string | null };

export function filterOf({ event_type, event_topic, object_id, patient_id }: FilterInput): Filter {
  const names = event_type || event_topic ? selectEvents(event_type, event_topic) : null;
  if (names?.length === 0)
    throw invalidParameter('event_topic', `Nothing of ${(event_type ?? []).join(' or ')} has this topic.`);
  return { names, objectId: object_id ?? null, patientId: patient_id ?? null };
}

export const matchesFilter = ({ names, objectId, patientId }: Filter, event: EventSummary): boolean =>
  (!names || names.some(([type, topic]) => type === event.type && topic === event.topic)) &&
  (!objectId || objectId === event.objectId) &&
  (!patientId || patientId === event.patientId);

/** A range of the feed; `from` is exclusive. */
type FeedRange = { from: number; backwards: boolean; limit: number; offset?: number };

type Row = {
  sequence: bigint;
  id: string;
  event_type: string;
  event_topic: string;
  tenant_id: string;
  patient_id: string | null;
  /** Null when the event itself is no longer stored. */
  author_type: string | null;
  author_id: string;
  created_at: Date;
  payload: EventView['payload'];
};
export type StoredEvent = Row & { author_type: string };

const FILTERED = Prisma.sql`select sequence, event_id, event_created_at, event_type, event_topic, patient_id
  from event_numbers`;

/**
 * Reads events by number. For any filter, the index entries read are as many as the limit, per requested name, and none
 * in between. Rows whose event is gone have no `author_type`. `limit 1`: else, PostgreSQL expects each lookup to search
 * every month and reads all of them instead.
 */
export function listEventRows({ db, tenantId }: Context, filter: Filter, range: FeedRange): Promise<Row[]> {
  const { limit, offset = 0 } = range;
  const { names, objectId, patientId } = filter;
  const beyond = range.backwards ? Prisma.sql`sequence < ${range.from}` : Prisma.sql`sequence > ${range.from}`;
  const order = range.backwards ? Prisma.sql`order by sequence desc` : Prisma.sql`order by sequence`;
  const own = Prisma.sql`tenant_id = ${tenantId}::uuid and ${beyond}`;
  const about = [
    ...(objectId ? [Prisma.sql`and object_id = ${objectId}`] : []),
    ...(patientId ? [Prisma.sql`and patient_id = ${patientId}::uuid`] : []),
  ];
  const chosen =
    names && about.length === 0
      ? Prisma.sql`select each.* from unnest(${names.map(([type]) => type)}::text[], ${names.map(([, topic]) => topic)}::text[])
          as name (type, topic) cross join lateral (
            ${FILTERED} where ${own} and event_type = name.type and event_topic = name.topic
            ${order} limit ${offset + limit}) as each`
      : Prisma.sql`${FILTERED} where ${own} ${Prisma.join([Prisma.empty, ...about], ' ')}
          ${names ? Prisma.sql`and event_type || '.' || event_topic = any(${names.map((name) => name.join('.'))}::text[])` : Prisma.empty}`;
  return db.$queryRaw<Row[]>`
    with chosen as materialized (select * from (${chosen}) as all_of_them ${order} limit ${limit} offset ${offset})
    select chosen.sequence, event_id as id, chosen.event_type, chosen.event_topic, ${tenantId}::text as tenant_id,
      chosen.patient_id, author_type, author_id, event_created_at as created_at, payload
    from chosen left join lateral (
      select author_type, author_id, payload from events
      where tenant_id = ${tenantId}::uuid and id = event_id and created_at = event_created_at limit 1) as event on true
    order by chosen.sequence ${range.backwards ? Prisma.raw('desc') : Prisma.empty}`;
}

/** Counts the events after a sequence that match the filter. */
export async function countEvents({ db, tenantId }: Context, filter: Filter, from: number): Promise<number> {
  const { names, objectId, patientId } = filter;
  return db.eventNumber.count({
    where: {
      tenantId,
      sequence: { gt: from },
      ...(names && { OR: names.map(([eventType, eventTopic]) => ({ eventType, eventTopic })) }),
      ...(objectId && { objectId }),
      ...(patientId && { patientId }),
    },
  });
}

const SECOND_MS = 1000;

export const presentEvent = (row: StoredEvent): EventView => ({
  id: row.id,
  sequence: Number(row.sequence),
  event_name: eventNameOf(row.event_type, row.event_topic),
  event_type: row.event_type,
  event_topic: row.event_topic,
  tenant_id: row.tenant_id,
  patient_id: row.patient_id,
  author_type: row.author_type,
  author_id: row.author_id,
  created_at: row.created_at.toISOString(),
  time: Math.floor(row.created_at.getTime() / SECOND_MS),
  payload: row.payload,
});

export const isStored = (row: Row): row is StoredEvent => row.author_type !== null;
