import { createCallHandler } from '#server/http/call-handler.ts';
import { toFetchHandler } from '#server/http/handler.ts';
import { services } from '#server/http/services.ts';

export const dynamic = 'force-dynamic';

const handle = (request: Request): Promise<Response> =>
  toFetchHandler(createCallHandler(services()), services().config)(request);

export { handle as GET, handle as POST };
