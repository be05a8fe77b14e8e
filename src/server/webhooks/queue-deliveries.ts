import { type Chaos, selectedNames } from '#contract/webhooks.ts';
import type { WebhookEndpoint } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';

/** Deliveries per transaction. */
const BATCH = 1000;
const REORDERED_WITHIN_MS = 400;

/** An event from which a delivery is made, as the feed names it. */
export type EventToSend = {
  sequence: bigint;
  event_id: string;
  event_type: string;
  event_topic: string;
  object_id: string;
  patient_id: string | null;
};

/** The first attempt of a delivery that is not held: now, unless a sandbox's chaos settings delay it. */
export function firstAttemptAt({ chaos }: Pick<WebhookEndpoint, 'chaos'>, now: Date): Date {
  const { delay_ms = 0, reorder = false } = (chaos ?? {}) as Chaos;
  const ms = delay_ms * Math.random() + (reorder ? REORDERED_WITHIN_MS * Math.random() : 0);
  return new Date(now.getTime() + Math.round(ms));
}

/** The events to send to an endpoint, in the order of the feed. */
type ToQueue = { endpoint: Pick<WebhookEndpoint, 'id' | 'chaos'>; events: EventToSend[] };

/**
 * Creates deliveries for endpoints that the caller has locked. A delivery behind an earlier one of the same object is
 * `held`; the last of each queue is locked until the commit, so that the process that ends it sees the ones behind it.
 * @returns the number of created deliveries; pending ones are not created again
 * @see prisma/sql/carelane_lane_ends.sql
 */
export async function queueDeliveries(
  tx: Tx,
  { tenantId, clock }: Pick<Context, 'tenantId' | 'clock'>,
  kind: 'live' | 'replay',
  queues: ToQueue[],
): Promise<number> {
  const objectQueues = queues.flatMap(({ endpoint, events }) =>
    [...new Set(events.map((event) => event.object_id))].map((object) => ({ endpoint: endpoint.id, object })),
  );
  if (objectQueues.length === 0) return 0;
  const now = clock.now();
  const queueEnds = await tx.$queryRaw<{ endpoint_id: string; object_id: string }[]>`
    select endpoint_id, object_id from carelane_lane_ends(${kind},
      ${objectQueues.map(({ endpoint }) => endpoint)}::uuid[], ${objectQueues.map(({ object }) => object)}::text[])`;
  const busy = new Set(queueEnds.map(({ endpoint_id, object_id }) => `${endpoint_id} ${object_id}`));
  const rows = queues.flatMap(({ endpoint, events }) => {
    // Deliveries created at the same time are still listed in the order in which they are sent.
    const ids = events.map(() => newId(now)).sort();
    return events.map(({ sequence, object_id }, index) => {
      const queueKey = `${endpoint.id} ${object_id}`;
      const isHeld = busy.has(queueKey);
      busy.add(queueKey);
      const next_try_at = isHeld ? null : firstAttemptAt(endpoint, now);
      return {
        id: ids[index],
        endpoint_id: endpoint.id,
        sequence: String(sequence),
        state: isHeld ? 'held' : 'waiting',
        next_try_at,
      };
    });
  });
  return tx.$executeRaw`
    insert into webhook_deliveries (id, tenant_id, endpoint_id, sequence, event_id, event_type, event_topic, object_id,
      patient_id, kind, state, next_try_at, created_at)
    select row.id, ${tenantId}::uuid, endpoint_id, sequence, event_id, event_type, event_topic, object_id,
      patient_id, ${kind}, state, next_try_at, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (id uuid, endpoint_id uuid, sequence bigint,
      state text, next_try_at timestamptz)
    join event_numbers using (sequence) where event_numbers.tenant_id = ${tenantId}::uuid
    order by endpoint_id, sequence
    on conflict do nothing`;
}

/** Reads the events of the feed after a sequence that match an endpoint's types. */
export async function readFeed(
  tx: Tx,
  { tenantId }: Pick<Context, 'tenantId'>,
  after: bigint,
  { names, limit, where = Prisma.empty }: { names: string[] | null; limit: number; where?: Prisma.Sql },
): Promise<EventToSend[]> {
  const nameFilter = names ? Prisma.sql`and event_type || '.' || event_topic = any(${names}::text[])` : Prisma.empty;
  return tx.$queryRaw<EventToSend[]>`
    select sequence, event_id, event_type, event_topic, object_id, patient_id from event_numbers
    where tenant_id = ${tenantId}::uuid and sequence > ${after}::bigint ${nameFilter} ${where}
    order by sequence limit ${limit}::int`;
}

/** True when an endpoint has not reached the end of the feed. */
export async function isBehindFeed({ db, tenantId }: Context): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`select 1 ${behindFeed(tenantId)} limit 1`;
  return rows.length > 0;
}

/**
 * Creates the deliveries for the next part of the feed, for all endpoints at once; endpoints locked by another process
 * are skipped.
 * @returns the number of created deliveries, and `more` when the feed continues
 */
export async function followFeed(ctx: Context): Promise<{ created: number; more: boolean }> {
  const { db, tenantId } = ctx;
  return db.$transaction(async (tx) => {
    const endpoints = await tx.$queryRaw<EndpointBehindFeed[]>`
      select id, position, event_types, chaos ${behindFeed(tenantId)} order by id for update of endpoint skip locked`;
    if (endpoints.length === 0) return { created: 0, more: false };
    const position = endpoints.reduce((least, one) => (one.position < least ? one.position : least), MAX_POSITION);
    const limit = Math.ceil(BATCH / endpoints.length);
    const events = await readFeed(tx, ctx, position, { names: null, limit });
    const last = events.at(-1);
    if (!last) return { created: 0, more: false };
    const queues = endpoints.map((endpoint) => ({ endpoint, events: subscribedEvents(endpoint, events) }));
    const created = await queueDeliveries(tx, ctx, 'live', queues);
    const ids = endpoints.map(({ id }) => id);
    await tx.$executeRaw`
      update webhook_endpoints set position = ${last.sequence}::bigint
      where tenant_id = ${tenantId}::uuid and id = any(${ids}::uuid[]) and position < ${last.sequence}::bigint`;
    return { created, more: events.length === limit };
  });
}

const MAX_POSITION = BigInt(Number.MAX_SAFE_INTEGER);
type EndpointBehindFeed = Pick<WebhookEndpoint, 'id' | 'chaos' | 'position'> & { event_types: string[] };

const behindFeed = (tenantId: string) => Prisma.sql`
  from webhook_endpoints as endpoint join event_feeds as feed using (tenant_id)
  where endpoint.tenant_id = ${tenantId}::uuid and enabled and position < feed.last_sequence`;

function subscribedEvents({ event_types, position }: EndpointBehindFeed, events: EventToSend[]): EventToSend[] {
  const names = selectedNames(event_types);
  return events.filter(
    (one) => one.sequence > position && (!names || names.includes(`${one.event_type}.${one.event_topic}`)),
  );
}
