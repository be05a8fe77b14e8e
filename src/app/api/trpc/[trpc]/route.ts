import { services } from '#server/http/services.ts';
import { createPortalDoor } from '#server/http/trpc.ts';
import { asFetch } from '#server/http/wire.ts';

const door = (request: Request): Promise<Response> => asFetch(createPortalDoor(services()), services().config)(request);

export { door as GET, door as POST };
