import { createHealthHandler } from '#server/http/health.ts';
import { services } from '#server/http/services.ts';
import { toFetchHandler } from '#server/http/wire.ts';

export const dynamic = 'force-dynamic';

export const GET = (request: Request): Promise<Response> =>
  toFetchHandler(createHealthHandler(services()), services().config)(request);
