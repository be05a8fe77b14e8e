import { toFetchHandler } from '#server/http/handler.ts';
import { createLogoHandler } from '#server/http/logo-handler.ts';
import { services } from '#server/http/services.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createLogoHandler(services()), services().config)(request);

export { handler as GET, handler as HEAD };
