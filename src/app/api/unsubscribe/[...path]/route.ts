import { services } from '#server/http/services.ts';
import { createUnsubscribeHandler } from '#server/http/unsubscribe.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createUnsubscribeHandler(services()), services().config)(request);

export { handler as GET, handler as POST };
