import { toFetchHandler } from '#server/http/handler.ts';
import { services } from '#server/http/services.ts';
import { createWebhookHandler } from '#server/http/webhook-handler.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createWebhookHandler(services()), services().config)(request);

export { handler as GET, handler as POST };
