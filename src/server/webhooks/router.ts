import {
  CreateWebhookEndpointInput,
  ListWebhookDeliveriesInput,
  ListWebhookEndpointsInput,
  ReplayWebhooksInput,
  UpdateWebhookEndpointInput,
  WebhookDeliveryIdInput,
  WebhookEndpointIdInput,
} from '#contract/webhooks.ts';
import { noPatient, router } from '#server/core/trpc.ts';
import { createEndpoint, deleteEndpoint, rollSecret, updateEndpoint } from './change-endpoint.ts';
import { getEndpoint, listDeliveries, listEndpoints } from './read-endpoints.ts';
import { replay, replayOne, testEndpoint } from './replay.ts';

const ofOne = noPatient.input(WebhookEndpointIdInput);

export const webhooksRouter = router({
  list: noPatient.input(ListWebhookEndpointsInput).query(({ ctx, input }) => listEndpoints(ctx, input)),
  create: noPatient.input(CreateWebhookEndpointInput).mutation(({ ctx, input }) => createEndpoint(ctx, input)),
  get: ofOne.query(({ ctx, input }) => getEndpoint(ctx, input)),
  update: noPatient.input(UpdateWebhookEndpointInput).mutation(({ ctx, input }) => updateEndpoint(ctx, input)),
  delete: ofOne.mutation(({ ctx, input }) => deleteEndpoint(ctx, input)),
  listDeliveries: noPatient.input(ListWebhookDeliveriesInput).query(({ ctx, input }) => listDeliveries(ctx, input)),
  replayOne: noPatient.input(WebhookDeliveryIdInput).mutation(({ ctx, input }) => replayOne(ctx, input)),
  replay: noPatient.input(ReplayWebhooksInput).mutation(({ ctx, input }) => replay(ctx, input)),
  test: ofOne.mutation(({ ctx, input }) => testEndpoint(ctx, input)),
  rollSecret: ofOne.mutation(({ ctx, input }) => rollSecret(ctx, input)),
});
