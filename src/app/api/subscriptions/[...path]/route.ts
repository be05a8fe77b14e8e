import { services } from '#server/http/services.ts';
import { createSubscriptionsExportHandler } from '#server/http/subscriptions.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createSubscriptionsExportHandler(services()), services().config)(request);

export { handler as GET };
