import { createAuthHandler } from '#server/http/auth-handler.ts';
import { toFetchHandler } from '#server/http/handler.ts';
import { services } from '#server/http/services.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createAuthHandler(services()), services().config)(request);

export { handler as GET, handler as POST };
