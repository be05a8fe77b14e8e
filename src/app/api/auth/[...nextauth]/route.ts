import { createAuthHandler } from '#server/http/auth.ts';
import { services } from '#server/http/services.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> => toFetchHandler(createAuthHandler(services()), services().config)(request);

export { handler as GET, handler as POST };
