import { toFetchHandler } from '#server/http/handler.ts';
import { createLinkHandler } from '#server/http/link-handler.ts';
import { services } from '#server/http/services.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createLinkHandler(services()), services().config)(request);

export { handler as GET, handler as POST };
