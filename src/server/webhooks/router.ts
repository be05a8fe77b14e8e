import {
  CreateWebhookEndpointInput,
  DeliveriesOfEventInput,
  ListWebhookDeliveriesInput,
  ListWebhookEndpointsInput,
  OneWebhookDeliveryInput,
  ReplayWebhooksInput,
  UpdateWebhookEndpointInput,
  WebhookDeliveryIdInput,
  WebhookEndpointIdInput,
  WebhookHealthInput,
} from '#contract/webhooks.ts';
import { noPatient, patientData, router } from '#server/core/trpc.ts';
import { createEndpoint, deleteEndpoint, rollSecret, updateEndpoint } from './change-endpoint.ts';
import { getDelivery, listDeliveriesOfEvent } from './get-delivery.ts';
import { listHealth } from './health.ts';
import { getEndpoint, listDeliveries, listEndpoints } from './list-endpoints.ts';
import { replayDelivery, replayEvents, testEndpoint } from './replay.ts';

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
