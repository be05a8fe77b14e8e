import type { StoryKind } from '#contract/story.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { idTime, isId } from '#server/core/ids.ts';
import { ALL_NAMES, namesOf, SAYS_LESS, UNTOLD_ACTIONS } from './tell.ts';

/** An audit entry of a change to a patient's record or related objects. */
export type ChangeRow = {
  id: string;
  position: bigint;
  action: string;
  event: string | null;
  objectType: string;
  objectId: string;
  actorType: string;
  actorId: string;
  onBehalfOf: string | null;
  details: Record<string, unknown>;
  createdAt: Date;
};
export type Place = { at: Date; position: bigint };
export type Narrowed = { patientId: string; kind: StoryKind | null; objectId: string | null };

const { sql } = Prisma;

/** Must equal the condition of the partial index `audit_entries_changes_idx`, so that PostgreSQL uses it. */
const INDEXED = Prisma.raw(`outcome is null and action <> all (array['patients.get', 'patients.me', 'patients.list',
  'patients.care', 'appointments.get', 'appointments.list', 'subscriptions.get', 'subscriptions.list',
  'subscriptions.listCheckoutLinks', 'sign_ins.get', 'users.get', 'sessions.refresh', 'patients.impersonate',
  'events.get', 'events.list', 'events.latest', 'story.list'])`);

/** The name used for the text, as in `nameOf` of `tell.ts`. */
const NAME = sql`case when event is null or (action <> all(${SAYS_LESS}::text[]) and action = any(${ALL_NAMES}::text[]))
  then action else event end`;

/**
 * Builds the query for one patient's changes, by time and then by position in the log, the latest first. The index
 * skips reads and other entries of the tenant.
 */
export function changesOf(
  tenantId: string,
  { patientId, kind, objectId }: Narrowed,
  { beyond, backwards, limit }: { beyond: Place | null; backwards: boolean; limit: number },
): Prisma.Sql {
  const side = backwards ? Prisma.raw('>') : Prisma.raw('<');
  const terms = [
    sql`tenant_id = ${tenantId}::uuid and patient_id = ${patientId}::uuid and ${INDEXED}`,
    sql`action <> all(${UNTOLD_ACTIONS}::text[])`,
    // Excludes requests that changed nothing.
    sql`details ->> 'unchanged' is null`,
    ...(kind ? [sql`${NAME} = any(${namesOf(kind)}::text[])`] : []),
    ...(objectId ? [sql`object_id = ${objectId}`] : []),
    ...(beyond ? [sql`(created_at, position) ${side} (${beyond.at}::timestamptz, ${beyond.position}::bigint)`] : []),
  ];
  const way = backwards ? Prisma.raw('asc') : Prisma.raw('desc');
  return sql`
    select id, position, action, event, object_type as "objectType", object_id as "objectId",
      actor_type as "actorType", actor_id as "actorId", on_behalf_of as "onBehalfOf", details, created_at as "createdAt"
    from audit_entries where ${Prisma.join(terms, ' and ')}
    order by created_at ${way}, position ${way} limit ${limit}::int`;
}

/** Returns the payloads of these changes' events that are still retained, by id. */
export async function payloadsOf(
  { db, tenantId }: Context,
  ids: string[],
): Promise<Map<string, Record<string, unknown>>> {
  const known = ids.filter(isId);
  if (known.length === 0) return new Map();
  // An id contains the time of its event, which selects the partition.
  const times = known.map(idTime);
  const rows = await db.event.findMany({
    where: {
      tenantId,
      id: { in: known },
      createdAt: { gte: new Date(Math.min(...times)), lte: new Date(Math.max(...times)) },
    },
    select: { id: true, payload: true },
  });
  return new Map(rows.map(({ id, payload }) => [id, payload as Record<string, unknown>]));
}
