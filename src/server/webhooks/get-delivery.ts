import type {
  DeliveriesOfEventInput,
  EventDeliveryView,
  OneWebhookDeliveryInput,
  WebhookDeliveryWithRequestView,
} from '#contract/webhooks.ts';
import type { WebhookDelivery } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { loadEndpoint, requireWebhooks } from './endpoint.ts';
import { presentDelivery } from './list-endpoints.ts';
import { type DeliveryRef, findDeliveryEvent, type SentAs, webhookBody, webhookHeaders } from './message.ts';

/** Deliveries of one event: to twenty endpoints, and replays. */
const MAX_OF_AN_EVENT = 100;

/**
 * Returns one delivery with its last request.
 * @throws `not_found`
 */
export async function getDelivery(
  ctx: Context,
  { id }: OneWebhookDeliveryInput,
): Promise<WebhookDeliveryWithRequestView> {
  requireWebhooks(ctx, 'webhooks:read', []);
  const row = await ctx.db.webhookDelivery.findFirst({ where: { tenantId: ctx.tenantId, id } });
  if (!row) throw notFound('delivery');
  // Reading a message needs the same access as reading the endpoint's events.
  await loadEndpoint(ctx, row.endpointId, 'webhooks:read');
  return { ...presentDelivery(ctx, row), request: await requestOf(ctx, row) };
}

/** Rebuilt from the event and the values stored when it was sent. */
async function requestOf(ctx: Context, row: WebhookDelivery): Promise<WebhookDeliveryWithRequestView['request']> {
  const as = row.sent as SentAs | null;
  if (!as) return null;
  const about: DeliveryRef = {
    sequence: row.sequence,
    event_id: row.eventId,
    event_type: row.eventType,
    event_topic: row.eventTopic,
    object_id: row.objectId,
    patient_id: row.patientId,
    kind: row.kind as DeliveryRef['kind'],
    created_at: row.createdAt,
  };
  const event = row.kind === 'test' ? null : await findDeliveryEvent(ctx, about);
  if (!event && row.kind !== 'test') return null;
  return { url: as.url, headers: webhookHeaders(row.eventId, as), body: webhookBody(ctx.tenantId, about, event, as) };
}

/** Lists the deliveries of an event to each endpoint, newest first. */
export async function listDeliveriesOfEvent(
  ctx: Context,
  { id }: DeliveriesOfEventInput,
): Promise<EventDeliveryView[]> {
  requireWebhooks(ctx, 'webhooks:read', []);
  const rows = await ctx.db.webhookDelivery.findMany({
    where: { tenantId: ctx.tenantId, eventId: id },
    include: { endpoint: { select: { url: true } } },
    orderBy: { id: 'desc' },
    take: MAX_OF_AN_EVENT,
  });
  return rows.map(({ endpoint, ...row }) => {
    const shown = presentDelivery(ctx, { ...row, answer: null });
    const {
      id: delivery_id,
      endpoint_id,
      kind,
      state,
      attempts,
      next_try_at,
      last_status,
      last_error,
      created_at,
    } = shown;
    const fields = { kind, state, attempts, next_try_at, last_status, last_error, created_at };
    return { id: delivery_id, endpoint_id, endpoint_url: endpoint.url, ...fields };
  });
}
