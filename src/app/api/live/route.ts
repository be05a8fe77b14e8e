import { createLiveHandler } from '#server/http/live.ts';
import { services } from '#server/http/services.ts';
import { toFetchHandler } from '#server/http/wire.ts';

export const dynamic = 'force-dynamic';

export const GET = (request: Request): Promise<Response> =>
  toFetchHandler(createLiveHandler(services()), services().config)(request);
