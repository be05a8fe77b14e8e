import { createAuthDoor } from '#server/http/auth.ts';
import { services } from '#server/http/services.ts';
import { asFetch } from '#server/http/wire.ts';

const door = (request: Request): Promise<Response> => asFetch(createAuthDoor(services()), services().config)(request);

export { door as GET, door as POST };
