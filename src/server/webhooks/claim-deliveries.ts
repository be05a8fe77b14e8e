import type { EventView } from '#contract/events.ts';
import type { Chaos } from '#contract/webhooks.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import type { EventToSend } from './queue-deliveries.ts';

/** Longer than an attempt may take, by PostgreSQL's clock: the limit for which a crashed process delays deliveries. */
const LEASE_S = 20;

/** A delivery with everything its message needs: the endpoint as of the claim, the event, and the delivery progress. */
export type Claimed = Omit<EventToSend, 'sequence'> & {
  id: string;
  sequence: number;
  endpoint_id: string;
  kind: 'live' | 'replay' | 'test';
  attempts: number;
  audited: boolean;
  created_at: Date;
  lease: string;
  url: string;
  payload: 'thin' | 'snapshot';
  contract_version: string;
  secret: Uint8Array;
  old_secret: Uint8Array | null;
  old_secret_until: Date | null;
  chaos: Chaos | null;
  is_failing: boolean;
  /** Null when the event is no longer stored, and for a test. */
  author_type: string | null;
  author_id: string;
  event_created_at: Date;
  /** For a snapshot. */
  event_payload: EventView['payload'];
  /** Once this one is processed, everything up to here has arrived; `GET /events` continues from it without a gap. */
  cursor: number;
  /** The last earlier event of the same object that was given up. */
  missed: number | null;
};

/**
 * Interruptions by a crash that do not count as attempts. Beyond that, the delivery may cause the crashes and uses up
 * its attempts.
 */
const MAX_INTERRUPTIONS = 10;

/** Makes the deliveries of crashed processes due again, immediately and under the same id. */
export const freeAbandoned = ({ db, tenantId, clock }: Context): Promise<number> =>
  db.$executeRaw`
    update webhook_deliveries set state = 'waiting', lease = null, next_try_at = ${clock.now()}::timestamptz,
      attempts = attempts - (interruptions < ${MAX_INTERRUPTIONS})::int, interruptions = interruptions + 1
    where tenant_id = ${tenantId}::uuid and id = any(array(
      select id from webhook_deliveries
      where tenant_id = ${tenantId}::uuid and state = 'sending' and leased_until < clock_timestamp()
      for update skip locked))`;

/** The limit of concurrent deliveries of an endpoint in this process, and how many are running. */
export type Work = { endpointId: string; running: number; most: number };

/**
 * Claims due deliveries, at most `room` in total and per endpoint up to its limit, least busy endpoints first. `work`
 * lists the endpoints that differ from `most` concurrent and none running. One statement claims the deliveries and
 * reads everything that is sent with them; `limit 1` keeps PostgreSQL from reading whole months of events for it.
 * @see prisma/sql/carelane_claim_deliveries.sql
 */
export async function claimDue(
  { db, tenantId, clock }: Context,
  { room, most, work }: { room: number; most: number; work: Work[] },
): Promise<Claimed[]> {
  const now = clock.now();
  return db.$query<Claimed>(Prisma.sql`
    select taken.id, endpoint_id, taken.sequence::float8 as sequence, taken.event_id, taken.event_type, taken.event_topic,
      taken.object_id, taken.patient_id, kind, attempts, audited, taken.created_at, lease, safe::float8 as cursor,
      missed::float8 as missed, url, endpoint.payload, contract_version, secret, old_secret, old_secret_until, chaos,
      failing_since is not null as is_failing, author_type, author_id, event_created_at, event_payload
    from carelane_claim_deliveries(${room}::int, ${most}::int, ${work.map((one) => one.endpointId)}::uuid[],
      ${work.map((one) => one.running)}::int[], ${work.map((one) => one.most)}::int[], ${now}::timestamptz,
      ${newId(now)}::uuid, ${LEASE_S}::int) as taken
    join webhook_endpoints as endpoint on endpoint.tenant_id = ${tenantId}::uuid and endpoint.id = taken.endpoint_id
    left join lateral (
      select event_created_at, author_type, author_id, case endpoint.payload when 'snapshot' then events.payload end as event_payload
      from event_numbers as number join events
        on events.tenant_id = ${tenantId}::uuid and events.id = number.event_id and events.created_at = event_created_at
      where number.tenant_id = ${tenantId}::uuid and number.sequence = taken.sequence and number.event_id = taken.event_id
      limit 1) as event on true
    order by taken.sequence`);
}

/** Returns when the next attempt is due at an endpoint that is not in `full`, or null. */
export async function nextDueAt({ db, tenantId }: Context, full: string[]): Promise<Date | null> {
  const [row] = await db.$query<{ at: Date | null }>(Prisma.sql`
    select min(first.next_try_at) as at from webhook_endpoints as endpoint cross join lateral (
      select next_try_at from webhook_deliveries
      where tenant_id = ${tenantId}::uuid and endpoint_id = endpoint.id and state = 'waiting'
      order by next_try_at, sequence limit 1) as first
    where endpoint.tenant_id = ${tenantId}::uuid and enabled and endpoint.id <> all(${full}::uuid[])`);
  return row?.at ?? null;
}
