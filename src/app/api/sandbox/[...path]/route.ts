import { createSandboxHandler } from '#server/http/sandbox.ts';
import { services } from '#server/http/services.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createSandboxHandler(services()), services().config)(request);

export { handler as GET, handler as HEAD, handler as POST };
