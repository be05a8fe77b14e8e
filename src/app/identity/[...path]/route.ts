import { createIdentityHandler } from '#server/http/identity.ts';
import { services } from '#server/http/services.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createIdentityHandler(services()), services().config)(request);

export { handler as DELETE, handler as GET, handler as HEAD, handler as PATCH, handler as POST, handler as PUT };
