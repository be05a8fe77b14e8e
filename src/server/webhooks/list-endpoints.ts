import type {
  ListWebhookDeliveriesInput,
  ListWebhookEndpointsInput,
  WebhookDeliveryPage,
  WebhookDeliveryView,
  WebhookEndpointIdInput,
  WebhookEndpointPage,
  WebhookEndpointView,
} from '#contract/webhooks.ts';
import type { WebhookDelivery } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { isId } from '#server/core/ids.ts';
import { pageOf, readPage } from '#server/core/paging.ts';
import { loadEndpoint, openResponse, parkedAt, presentEndpoint, requireWebhooks } from './endpoint.ts';

export async function getEndpoint(ctx: Context, { id }: WebhookEndpointIdInput): Promise<WebhookEndpointView> {
  const row = await loadEndpoint(ctx, id, 'webhooks:read');
  return presentEndpoint(row, await parkedAt(ctx.db, ctx, [id]), ctx.clock.now());
}

export async function listEndpoints(ctx: Context, input: ListWebhookEndpointsInput): Promise<WebhookEndpointPage> {
  requireWebhooks(ctx, 'webhooks:read', []);
  const rows = await ctx.db.webhookEndpoint.findMany({ where: { tenantId: ctx.tenantId }, orderBy: { id: 'asc' } });
  const parked = await parkedAt(
    ctx.db,
    ctx,
    rows.map(({ id }) => id),
  );
  return pageOf(
    rows.map((row) => presentEndpoint(row, parked, ctx.clock.now())),
    input,
  );
}

const STATES = {
  waiting: { in: ['waiting', 'sending', 'held'] },
  delivered: 'delivered',
  parked: 'parked',
};

/** Lists the deliveries of an endpoint, newest first. */
export async function listDeliveries(ctx: Context, input: ListWebhookDeliveriesInput): Promise<WebhookDeliveryPage> {
  await loadEndpoint(ctx, input.id, 'webhooks:read');
  const { tenantId } = ctx;
  const own = { tenantId, endpointId: input.id, ...(input.state && { state: STATES[input.state] }) };
  return readPage<WebhookDelivery, string, WebhookDeliveryView>(
    input,
    {
      what: 'delivery',
      keyOf: async (id) => {
        const { endpointId } = own;
        const row = isId(id) && (await ctx.db.webhookDelivery.findFirst({ where: { tenantId, endpointId, id } }));
        return row ? row.id : null;
      },
      read: ({ backwards, limit, offset, beyond }) =>
        ctx.db.webhookDelivery.findMany({
          where: { ...own, ...(beyond !== null && { id: { [backwards ? 'gt' : 'lt']: beyond } }) },
          orderBy: { id: backwards ? 'asc' : 'desc' },
          take: limit,
          skip: offset,
        }),
      count: () => ctx.db.webhookDelivery.count({ where: own }),
    },
    (row) => presentDelivery(ctx, row),
  );
}

export const presentDelivery = ({ cipher }: Pick<Context, 'cipher'>, row: WebhookDelivery): WebhookDeliveryView => ({
  id: row.id,
  endpoint_id: row.endpointId,
  event_id: row.eventId,
  event_type: row.eventType,
  event_topic: row.eventTopic,
  object_id: row.objectId,
  patient_id: row.patientId,
  sequence: Number(row.sequence),
  kind: row.kind as WebhookDeliveryView['kind'],
  state: row.state as WebhookDeliveryView['state'],
  attempts: row.attempts,
  next_try_at: row.state === 'waiting' ? (row.nextTryAt?.toISOString() ?? null) : null,
  last_tried_at: row.lastTriedAt?.toISOString() ?? null,
  last_status: row.lastStatus,
  last_error: row.lastError,
  last_ms: row.lastMs,
  answer: row.answer ? openResponse(cipher, row.id, row.answer) : null,
  created_at: row.createdAt.toISOString(),
  ended_at: row.endedAt?.toISOString() ?? null,
});
