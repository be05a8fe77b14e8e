import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import type { EventToSend } from './queue-deliveries.ts';

/** Longer than a try may take, by PostgreSQL's clock: a process that is gone holds nothing up for longer. */
const LEASE_S = 20;

export type Claimed = EventToSend & {
  id: string;
  endpoint_id: string;
  kind: 'live' | 'replay' | 'test';
  attempts: number;
  audited: boolean;
  created_at: Date;
  lease: string;
};

/** So often a process may die over one, which is no try of it; beyond that it may be what they die of, and uses its tries up. */
const MOST_INTERRUPTIONS = 10;

/** What a process held that is gone is due again, at once and under the same id. */
export const freeAbandoned = ({ db, tenantId, clock }: Context): Promise<number> =>
  db.$executeRaw`
    update webhook_deliveries set state = 'waiting', lease = null, next_try_at = ${clock.now()}::timestamptz,
      attempts = attempts - (interruptions < ${MOST_INTERRUPTIONS})::int, interruptions = interruptions + 1
    where tenant_id = ${tenantId}::uuid and state = 'sending' and leased_until < clock_timestamp()`;

/** Takes what is due, of each endpoint as many as it has room for; nobody else takes them meanwhile. */
export async function claimDue(
  { db, tenantId, clock }: Context,
  rooms: { endpointId: string; room: number }[],
): Promise<Claimed[]> {
  if (rooms.length === 0) return [];
  const now = clock.now();
  return db.$queryRaw<Claimed[]>`
    update webhook_deliveries as delivery
    set state = 'sending', lease = ${newId(now)}::uuid, attempts = attempts + 1,
      leased_until = clock_timestamp() + make_interval(secs => ${LEASE_S}::int), last_tried_at = ${now}::timestamptz
    from unnest(${rooms.map(({ endpointId }) => endpointId)}::uuid[], ${rooms.map(({ room }) => room)}::int[])
      as endpoint (id, room)
    cross join lateral (
      select id from webhook_deliveries
      where tenant_id = ${tenantId}::uuid and endpoint_id = endpoint.id and state = 'waiting'
        and next_try_at <= ${now}::timestamptz
      order by next_try_at, sequence limit endpoint.room for update skip locked) as due
    where delivery.tenant_id = ${tenantId}::uuid and delivery.id = due.id
    returning delivery.id, endpoint_id, sequence, event_id, event_type, event_topic, object_id, patient_id, kind,
      attempts, audited, created_at, lease`;
}

/** When the next try of these endpoints is due, or null. */
export async function nextDueAt({ db, tenantId }: Context, endpointIds: string[]): Promise<Date | null> {
  const [row] = await db.$queryRaw<{ at: Date | null }[]>`
    select min(first.next_try_at) as at from unnest(${endpointIds}::uuid[]) as endpoint (id) cross join lateral (
      select next_try_at from webhook_deliveries
      where tenant_id = ${tenantId}::uuid and endpoint_id = endpoint.id and state = 'waiting'
      order by next_try_at, sequence limit 1) as first`;
  return row?.at ?? null;
}
