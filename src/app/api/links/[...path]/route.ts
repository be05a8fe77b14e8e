import { createLinkHandler } from '#server/http/links.ts';
import { services } from '#server/http/services.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> => toFetchHandler(createLinkHandler(services()), services().config)(request);

export { handler as GET, handler as POST };
