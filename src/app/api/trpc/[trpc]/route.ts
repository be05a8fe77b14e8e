import { services } from '#server/http/services.ts';
import { createPortalHandler } from '#server/http/trpc.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> => toFetchHandler(createPortalHandler(services()), services().config)(request);

export { handler as GET, handler as POST };
