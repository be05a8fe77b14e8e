import { toFetchHandler } from '#server/http/handler.ts';
import { services } from '#server/http/services.ts';
import { createPortalHandler } from '#server/http/trpc-handler.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createPortalHandler(services()), services().config)(request);

export { handler as GET, handler as POST };
