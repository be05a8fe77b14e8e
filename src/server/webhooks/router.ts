import {
  CreateWebhookEndpointInput,
  DeliveriesOfEventInput,
  type EventDeliveryView,
  ListWebhookDeliveriesInput,
  ListWebhookEndpointsInput,
  OneWebhookDeliveryInput,
  ReplayWebhooksInput,
  UpdateWebhookEndpointInput,
  WebhookDeliveryIdInput,
  type WebhookDeliveryWithRequestView,
  WebhookEndpointIdInput,
  WebhookHealthInput,
} from '#contract/webhooks.ts';
import type { WebhookDelivery } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { noPatient, patientData, router } from '#server/core/trpc.ts';
import { createEndpoint, deleteEndpoint, rollSecret, updateEndpoint } from './change-endpoint.ts';
import { loadEndpoint, requireWebhooks } from './endpoint.ts';
import { listHealth } from './health.ts';
import { getEndpoint, listDeliveries, listEndpoints, presentDelivery } from './list-endpoints.ts';
import { type DeliveryRef, findDeliveryEvent, type SentAs, webhookBody, webhookHeaders } from './message.ts';
import { replayDelivery, replayEvents, testEndpoint } from './replay.ts';

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

const ofOne = noPatient.input(WebhookEndpointIdInput);

export const webhooksRouter = router({
  list: noPatient.input(ListWebhookEndpointsInput).query(({ ctx, input }) => listEndpoints(ctx, input)),
  create: noPatient.input(CreateWebhookEndpointInput).mutation(({ ctx, input }) => createEndpoint(ctx, input)),
  get: ofOne.query(({ ctx, input }) => getEndpoint(ctx, input)),
  update: noPatient.input(UpdateWebhookEndpointInput).mutation(({ ctx, input }) => updateEndpoint(ctx, input)),
  delete: ofOne.mutation(({ ctx, input }) => deleteEndpoint(ctx, input)),
  /** Its objects belong to patients, and the list reveals who is a patient. */
  listDeliveries: patientData('WebhookEndpoint')
    .input(ListWebhookDeliveriesInput)
    .query(({ ctx, input }) => listDeliveries(ctx, input)),
  replayOne: noPatient.input(WebhookDeliveryIdInput).mutation(({ ctx, input }) => replayDelivery(ctx, input)),
  replay: noPatient.input(ReplayWebhooksInput).mutation(({ ctx, input }) => replayEvents(ctx, input)),
  test: ofOne.mutation(({ ctx, input }) => testEndpoint(ctx, input)),
  rollSecret: ofOne.mutation(({ ctx, input }) => rollSecret(ctx, input)),
  /** The procedures below are for the portal only. */
  health: noPatient.input(WebhookHealthInput).query(({ ctx, input }) => listHealth(ctx, input)),
  ofEvent: noPatient.input(DeliveriesOfEventInput).query(({ ctx, input }) => listDeliveriesOfEvent(ctx, input)),
  /** Includes the message as sent, which may be a snapshot of a record. */
  delivery: patientData('WebhookDelivery', { action: 'webhooks.get_delivery' })
    .input(OneWebhookDeliveryInput)
    .query(({ ctx, input }) => getDelivery(ctx, input)),
});
