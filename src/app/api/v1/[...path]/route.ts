import { toFetchHandler } from '#server/http/handler.ts';
import { createRestHandler } from '#server/http/rest-handler.ts';
import { services } from '#server/http/services.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createRestHandler(services()), services().config)(request);

export {
  handler as DELETE,
  handler as GET,
  handler as HEAD,
  handler as OPTIONS,
  handler as PATCH,
  handler as POST,
  handler as PUT,
};
