import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import type { RestClient } from './rest-client.ts';

export type WebhookTarget = { webhookId: string; deliveryId: string };

export const noWebhook = (): WebhookTarget => ({ webhookId: newId(), deliveryId: newId() });
/** Nothing listens at this address. */
export const NEW_WEBHOOK = { url: 'http://127.0.0.1:9/hooks', event_types: ['*'] };
/** A tenant may have at most twenty endpoints. */
const MAX_WEBHOOKS = 12;

/** Creates an endpoint with a pending delivery of the patient's first event, through the API. */
export async function makeWebhookTarget(rest: RestClient, token: string, patientId: string): Promise<WebhookTarget> {
  await deleteOldest(rest, token);
  const call = async (method: string, path: string, body?: object) => {
    const response = await rest.call({ method, path, token, ...(body && { body }) });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };
  const { id } = await call('POST', '/webhook_endpoints', NEW_WEBHOOK);
  const replayed = { after_sequence: 0, patient_id: patientId, event_types: ['patient.created'] };
  await call('POST', `/webhook_endpoints/${id}/replay`, replayed);
  const [delivery] = await call('GET', `/webhook_endpoints/${id}/deliveries`);
  return { webhookId: id, deliveryId: delivery.id };
}

export async function deleteOldest(rest: RestClient, token: string): Promise<void> {
  const { body } = await rest.call({ method: 'GET', path: '/webhook_endpoints', token });
  for (const { id } of body.slice(0, Math.max(0, body.length - MAX_WEBHOOKS)))
    await rest.call({ method: 'DELETE', path: `/webhook_endpoints/${id}`, token });
}

/** Inserts the same directly. */
export async function insertWebhookTarget({ db, tenantId }: Context): Promise<WebhookTarget> {
  const { webhookId, deliveryId } = noWebhook();
  await db.webhookEndpoint.create({
    data: {
      id: webhookId,
      tenantId,
      url: NEW_WEBHOOK.url,
      eventTypes: NEW_WEBHOOK.event_types,
      contractVersion: '1.0.0',
      secret: new Uint8Array(),
      position: 0n,
    },
  });
  await db.webhookDelivery.create({
    data: {
      id: deliveryId,
      tenantId,
      endpointId: webhookId,
      sequence: 1n,
      eventId: newId(),
      eventType: 'patient',
      eventTopic: 'created',
      objectId: newId(),
      state: 'waiting',
      nextTryAt: new Date(),
    },
  });
  return { webhookId, deliveryId };
}
