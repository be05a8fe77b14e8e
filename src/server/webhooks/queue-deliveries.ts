import { type Chaos, namesChosen } from '#contract/webhooks.ts';
import type { WebhookEndpoint } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';

/** Of the feed, in one transaction. */
const BATCH = 500;
const REORDERED_WITHIN_MS = 400;

/** What a delivery is made of: an event, as the feed names it. */
export type EventToSend = {
  sequence: bigint;
  event_id: string;
  event_type: string;
  event_topic: string;
  object_id: string;
  patient_id: string | null;
};

/** When something may first be sent that nothing holds back: at once, but for a sandbox's trials. */
export function firstTryAt({ chaos }: Pick<WebhookEndpoint, 'chaos'>, now: Date): Date {
  const { delay_ms = 0, reorder = false } = (chaos ?? {}) as Chaos;
  const ms = delay_ms * Math.random() + (reorder ? REORDERED_WITHIN_MS * Math.random() : 0);
  return new Date(now.getTime() + Math.round(ms));
}

/**
 * Makes deliveries of an endpoint that the caller has locked. What has an earlier one of the same object before it is
 * held: the last of each lane is locked meanwhile, so that whoever ends it waits, and then finds what stands behind it.
 * Returns how many were made; what is on its way already is not made again.
 */
export async function queueDeliveries(
  tx: Tx,
  { tenantId, clock }: Pick<Context, 'tenantId' | 'clock'>,
  endpoint: WebhookEndpoint,
  kind: 'live' | 'replay',
  events: EventToSend[],
): Promise<number> {
  if (events.length === 0) return 0;
  const now = clock.now();
  const objects = [...new Set(events.map((event) => event.object_id))];
  const tails = await tx.$queryRaw<{ object_id: string }[]>`
    select tail.object_id from unnest(${objects}::text[]) as object (id) cross join lateral (
      select object_id from webhook_deliveries
      where tenant_id = ${tenantId}::uuid and endpoint_id = ${endpoint.id}::uuid and kind = ${kind} and object_id = object.id
        and state in ('waiting', 'sending', 'held')
      order by sequence desc limit 1 for share) as tail`;
  const busy = new Set(tails.map(({ object_id }) => object_id));
  // Made in one moment, they are listed in the order in which they are sent all the same.
  const ids = events.map(() => newId(now)).sort();
  const rows = events.map((event, index) => {
    const isHeld = busy.has(event.object_id);
    busy.add(event.object_id);
    const nextTryAt = isHeld ? null : firstTryAt(endpoint, now).toISOString();
    const state = isHeld ? 'held' : 'waiting';
    return { ...event, sequence: String(event.sequence), id: ids[index], state, nextTryAt };
  });
  return tx.$executeRaw`
    insert into webhook_deliveries (id, tenant_id, endpoint_id, sequence, event_id, event_type, event_topic, object_id,
      patient_id, kind, state, next_try_at, created_at)
    select id, ${tenantId}::uuid, ${endpoint.id}::uuid, sequence, event_id, event_type, event_topic, object_id,
      patient_id, ${kind}, state, "nextTryAt", ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (id uuid, sequence bigint, event_id uuid,
      event_type text, event_topic text, object_id text, patient_id uuid, state text, "nextTryAt" timestamptz)
    order by sequence
    on conflict do nothing`;
}

/** The feed after a sequence, as far as an endpoint wants it; `through`: as far as was looked. */
export async function readFeed(
  tx: Tx,
  { tenantId }: Pick<Context, 'tenantId'>,
  after: bigint,
  { names, limit = BATCH, where = Prisma.empty }: { names: string[] | null; limit?: number; where?: Prisma.Sql },
): Promise<EventToSend[]> {
  const chosen = names ? Prisma.sql`and event_type || '.' || event_topic = any(${names}::text[])` : Prisma.empty;
  return tx.$queryRaw<EventToSend[]>`
    select sequence, event_id, event_type, event_topic, object_id, patient_id from event_numbers
    where tenant_id = ${tenantId}::uuid and sequence > ${after}::bigint ${chosen} ${where}
    order by sequence limit ${limit}::int`;
}

/**
 * Makes the deliveries that a piece of the feed leads to; tells whether there is more of it. Whoever is at it already, in
 * any process, is left alone.
 */
export async function followFeed(ctx: Context, endpoint: WebhookEndpoint, newest: bigint): Promise<boolean> {
  const { tenantId } = ctx;
  const { id } = endpoint;
  if (endpoint.position >= newest) return false;
  return ctx.db.$transaction(async (tx) => {
    const [free] = await tx.$queryRaw<unknown[]>`
      select 1 from webhook_endpoints where tenant_id = ${tenantId}::uuid and id = ${id}::uuid and enabled
      for update skip locked`;
    if (!free) return false;
    const row = await tx.webhookEndpoint.findFirstOrThrow({ where: { tenantId, id } });
    const events = await readFeed(tx, ctx, row.position, { names: null });
    const last = events.at(-1);
    if (!last) return false;
    const names = namesChosen(row.eventTypes);
    const wanted = events.filter((one) => !names || names.includes(`${one.event_type}.${one.event_topic}`));
    await queueDeliveries(tx, ctx, row, 'live', wanted);
    await tx.webhookEndpoint.updateMany({ where: { tenantId, id }, data: { position: last.sequence } });
    return events.length === BATCH;
  });
}
