import { toFetchHandler } from '#server/http/handler.ts';
import { createLiveHandler } from '#server/http/live-handler.ts';
import { services } from '#server/http/services.ts';

export const dynamic = 'force-dynamic';

export const GET = (request: Request): Promise<Response> =>
  toFetchHandler(createLiveHandler(services()), services().config)(request);
