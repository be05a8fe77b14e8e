import { asFetch } from '#server/http/handler.ts';
import { createIdentityDoor } from '#server/http/identity-handler.ts';
import { services } from '#server/http/services.ts';

const door = (request: Request): Promise<Response> =>
  asFetch(createIdentityDoor(services()), services().config)(request);

export { door as GET, door as HEAD, door as POST };
