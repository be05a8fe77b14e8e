import { createCallHandler } from '#server/http/call-handler.ts';
import { toFetchHandler } from '#server/http/handler.ts';
import { services } from '#server/http/services.ts';

export const dynamic = 'force-dynamic';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createCallHandler(services()), services().config)(request);

export { handler as GET, handler as POST };
