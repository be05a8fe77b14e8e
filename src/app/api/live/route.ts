import { createLiveDoor } from '#server/http/live.ts';
import { services } from '#server/http/services.ts';
import { asFetch } from '#server/http/wire.ts';

export const dynamic = 'force-dynamic';

export const GET = (request: Request): Promise<Response> =>
  asFetch(createLiveDoor(services()), services().config)(request);
