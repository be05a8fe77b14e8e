import type { AuditAction } from '#contract/audit-actions.ts';
import {
  MAX_REPLAYED,
  type ReplayedView,
  type ReplayWebhooksInput,
  selectedNames,
  type WebhookDeliveryIdInput,
  type WebhookDeliveryView,
  type WebhookEndpointIdInput,
} from '#contract/webhooks.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { apiError, CarelaneError, invalidParameter, notFound } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { loadEndpoint, lockEndpoint } from './endpoint.ts';
import { presentDelivery } from './list-endpoints.ts';
import { queueDeliveries, readFeed } from './queue-deliveries.ts';

/** A test is not part of the feed. */
const NO_SEQUENCE = 0n;

/**
 * Sends one delivery again; one that waits for its next attempt is attempted now.
 * @throws `not_found`
 * @throws `conflict` while an earlier event of the same object has not arrived
 * @throws `events_expired` when the event is no longer stored
 */
export async function replayDelivery(
  ctx: Context,
  { id, delivery_id }: WebhookDeliveryIdInput,
): Promise<WebhookDeliveryView> {
  await loadEndpoint(ctx, id, 'webhooks:write');
  const { tenantId } = ctx;
  const view = await ctx.db.$transaction(async (tx) => {
    const endpoint = await lockEndpoint(tx, ctx, id);
    const own = { tenantId, endpointId: id };
    const delivery = await tx.webhookDelivery.findFirst({ where: { ...own, id: delivery_id } });
    if (!delivery) throw notFound('delivery');
    if (delivery.kind === 'test') throw apiError('conflict', 'A test is not sent again; send another.');
    if (delivery.state === 'held')
      throw apiError('conflict', 'An earlier event of the same object has not arrived yet, and comes first.');
    let row = delivery;
    if (delivery.state === 'waiting' || delivery.state === 'sending') {
      const where = { ...own, id: delivery.id, state: 'waiting' };
      await tx.webhookDelivery.updateMany({ where, data: { nextTryAt: ctx.clock.now() } });
    } else {
      const [event] = await readFeed(tx, ctx, delivery.sequence - 1n, { names: null, limit: 1 });
      if (event?.event_id !== delivery.eventId) throw expired();
      await queueDeliveries(tx, ctx, 'replay', [{ endpoint, events: [event] }]);
      row = await tx.webhookDelivery.findFirstOrThrow({
        where: { ...own, eventId: delivery.eventId, kind: 'replay', state: { in: ['waiting', 'sending', 'held'] } },
      });
    }
    const shown = presentDelivery(ctx, row);
    await recordChange(tx, ctx, id, {
      action: 'webhooks.replay_one',
      payload: shown,
      details: { delivery: delivery_id },
    });
    return shown;
  });
  ctx.webhooks.nudge(tenantId);
  return view;
}

/**
 * Sends the endpoint's events again, after a sequence or since a time, up to a maximum per call.
 * @throws `events_expired`
 * @throws `invalid_parameter` for a sequence that does not exist yet
 */
export async function replayEvents(ctx: Context, input: ReplayWebhooksInput): Promise<ReplayedView> {
  await loadEndpoint(ctx, input.id, 'webhooks:write');
  const { tenantId } = ctx;
  const view = await ctx.db.$transaction(
    async (tx) => {
      const endpoint = await lockEndpoint(tx, ctx, input.id);
      const { from, newest } = await rangeOf(tx, ctx, input);
      const subscribed = selectedNames(endpoint.eventTypes);
      const requested = selectedNames(input.event_types ?? ['*']);
      const names =
        subscribed && requested ? subscribed.filter((name) => requested.includes(name)) : (subscribed ?? requested);
      const where = Prisma.sql`
        ${input.object_id ? Prisma.sql`and object_id = ${input.object_id}` : Prisma.empty}
        ${input.patient_id ? Prisma.sql`and patient_id = ${input.patient_id}::uuid` : Prisma.empty}
        ${input.since ? Prisma.sql`and event_created_at >= ${new Date(input.since)}::timestamptz` : Prisma.empty}
        and sequence <= ${newest}::bigint`;
      const events = await readFeed(tx, ctx, from, { names, limit: MAX_REPLAYED + 1, where });
      const more = events.length > MAX_REPLAYED;
      const replayed = events.slice(0, MAX_REPLAYED);
      await queueDeliveries(tx, ctx, 'replay', [{ endpoint, events: replayed }]);
      const through = more ? replayed.at(-1)!.sequence : newest;
      const shown = { queued: replayed.length, replayed_through: Number(through), more };
      const { id: _, ...filter } = input;
      await recordChange(tx, ctx, input.id, {
        action: 'webhooks.replay',
        payload: shown,
        details: { filter: { ...filter } },
      });
      return shown;
    },
    { timeout: 60_000 },
  );
  ctx.webhooks.nudge(tenantId);
  return view;
}

async function rangeOf(tx: Tx, { tenantId }: Context, { after_sequence, since }: ReplayWebhooksInput) {
  if ((after_sequence === undefined) === (since === undefined))
    throw invalidParameter(
      after_sequence === undefined ? 'after_sequence' : 'since',
      'Give either after_sequence or since.',
    );
  const feed = await tx.eventFeed.findFirst({ where: { tenantId } });
  const newest = feed?.lastSequence ?? 0n;
  const oldest = feed?.oldestSequence ?? 1n;
  const from = after_sequence === undefined ? oldest - 1n : BigInt(after_sequence);
  if (from > newest)
    throw invalidParameter('after_sequence', `There is no such sequence yet: the newest is ${newest}.`);
  if (from < oldest - 1n) throw expired(Number(oldest));
  return { from, newest };
}

const expired = (oldest?: number) =>
  oldest === undefined
    ? apiError('events_expired', 'This event is no longer held.')
    : new CarelaneError(
        {
          code: 'events_expired',
          detail: `Only events from the sequence ${oldest} on are still held.`,
          meta: { oldest_sequence: oldest },
        },
        { headers: { 'oldest-sequence': String(oldest) } },
      );

/** Sends a test: it contains no event, is attempted once, and does not affect the endpoint's status. */
export async function testEndpoint(ctx: Context, { id }: WebhookEndpointIdInput): Promise<WebhookDeliveryView> {
  await loadEndpoint(ctx, id, 'webhooks:write');
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const eventId = newId(now);
  const view = await ctx.db.$transaction(async (tx) => {
    const endpoint = await lockEndpoint(tx, ctx, id);
    if (!endpoint.enabled) throw apiError('conflict', 'It is switched off; switch it on first.');
    const row = await tx.webhookDelivery.create({
      data: {
        id: newId(now),
        tenantId,
        endpointId: id,
        sequence: NO_SEQUENCE,
        eventId,
        eventType: 'webhook',
        eventTopic: 'test',
        objectId: eventId,
        kind: 'test',
        state: 'waiting',
        nextTryAt: now,
        createdAt: now,
      },
    });
    const shown = presentDelivery(ctx, row);
    await recordChange(tx, ctx, id, { action: 'webhooks.test', payload: shown });
    return shown;
  });
  ctx.webhooks.nudge(tenantId);
  return view;
}

const recordChange = (
  tx: Tx,
  ctx: Context,
  endpointId: string,
  change: { action: AuditAction; payload: unknown; details?: Record<string, unknown> },
) => record(tx, ctx, { ...change, object: { type: 'WebhookEndpoint', id: endpointId } });
