import { createIdentityDoor } from '#server/http/identity.ts';
import { services } from '#server/http/services.ts';
import { asFetch } from '#server/http/wire.ts';

const door = (request: Request): Promise<Response> =>
  asFetch(createIdentityDoor(services()), services().config)(request);

export { door as GET, door as HEAD, door as POST };
