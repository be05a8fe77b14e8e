import { toFetchHandler } from '#server/http/handler.ts';
import { createIdentityHandler } from '#server/http/identity-handler.ts';
import { services } from '#server/http/services.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createIdentityHandler(services()), services().config)(request);

export { handler as GET, handler as HEAD, handler as POST };
