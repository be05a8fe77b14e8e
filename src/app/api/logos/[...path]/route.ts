import { createLogoHandler } from '#server/http/logos.ts';
import { services } from '#server/http/services.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> => toFetchHandler(createLogoHandler(services()), services().config)(request);

export { handler as GET, handler as HEAD };
