import {
  CreateWebhookEndpointInput,
  ListWebhookDeliveriesInput,
  ListWebhookEndpointsInput,
  ReplayWebhooksInput,
  UpdateWebhookEndpointInput,
  WebhookDeliveryIdInput,
  WebhookEndpointIdInput,
} from '#contract/webhooks.ts';
import { procedure, router } from '#server/core/trpc.ts';
import { createEndpoint, deleteEndpoint, rollSecret, updateEndpoint } from './change-endpoint.ts';
import { getEndpoint, listDeliveries, listEndpoints } from './read-endpoints.ts';
import { replay, replayOne, testEndpoint } from './replay.ts';

const ofOne = procedure.input(WebhookEndpointIdInput);

export const webhooksRouter = router({
  list: procedure.input(ListWebhookEndpointsInput).query(({ ctx, input }) => listEndpoints(ctx, input)),
  create: procedure.input(CreateWebhookEndpointInput).mutation(({ ctx, input }) => createEndpoint(ctx, input)),
  get: ofOne.query(({ ctx, input }) => getEndpoint(ctx, input)),
  update: procedure.input(UpdateWebhookEndpointInput).mutation(({ ctx, input }) => updateEndpoint(ctx, input)),
  delete: ofOne.mutation(({ ctx, input }) => deleteEndpoint(ctx, input)),
  listDeliveries: procedure.input(ListWebhookDeliveriesInput).query(({ ctx, input }) => listDeliveries(ctx, input)),
  replayOne: procedure.input(WebhookDeliveryIdInput).mutation(({ ctx, input }) => replayOne(ctx, input)),
  replay: procedure.input(ReplayWebhooksInput).mutation(({ ctx, input }) => replay(ctx, input)),
  test: ofOne.mutation(({ ctx, input }) => testEndpoint(ctx, input)),
  rollSecret: ofOne.mutation(({ ctx, input }) => rollSecret(ctx, input)),
});
