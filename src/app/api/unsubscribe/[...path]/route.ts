import { toFetchHandler } from '#server/http/handler.ts';
import { services } from '#server/http/services.ts';
import { createUnsubscribeHandler } from '#server/http/unsubscribe-handler.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createUnsubscribeHandler(services()), services().config)(request);

export { handler as GET, handler as POST };
