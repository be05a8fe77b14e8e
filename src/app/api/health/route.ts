import { toFetchHandler } from '#server/http/handler.ts';
import { createHealthHandler } from '#server/http/health-handler.ts';
import { services } from '#server/http/services.ts';

export const dynamic = 'force-dynamic';

export const GET = (request: Request): Promise<Response> =>
  toFetchHandler(createHealthHandler(services()), services().config)(request);
