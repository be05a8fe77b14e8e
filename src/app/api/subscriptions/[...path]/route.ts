import { toFetchHandler } from '#server/http/handler.ts';
import { services } from '#server/http/services.ts';
import { createSubscriptionsExportHandler } from '#server/http/subscriptions.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createSubscriptionsExportHandler(services()), services().config)(request);

export { handler as GET };
