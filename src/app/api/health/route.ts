import { createHealthDoor } from '#server/http/health.ts';
import { services } from '#server/http/services.ts';
import { asFetch } from '#server/http/wire.ts';

export const dynamic = 'force-dynamic';

export const GET = (request: Request): Promise<Response> =>
  asFetch(createHealthDoor(services()), services().config)(request);
