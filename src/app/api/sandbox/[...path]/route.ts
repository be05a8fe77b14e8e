import { toFetchHandler } from '#server/http/handler.ts';
import { createSandboxHandler } from '#server/http/sandbox-handler.ts';
import { services } from '#server/http/services.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createSandboxHandler(services()), services().config)(request);

export { handler as GET, handler as HEAD, handler as POST };
