import { services } from '#server/http/services.ts';
import { createWebhookHandler } from '#server/http/webhooks.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createWebhookHandler(services()), services().config)(request);

export { handler as GET, handler as POST };
