import { createIdentityDoor } from '#server/http/identity.ts';
import { services } from '#server/http/services.ts';
import { asFetch } from '#server/http/wire.ts';

let handle: ((request: Request) => Promise<Response>) | null = null;
const door = (request: Request): Promise<Response> => {
  handle ??= asFetch(createIdentityDoor(services()), services().config);
  return handle(request);
};

export { door as GET, door as HEAD, door as POST };
