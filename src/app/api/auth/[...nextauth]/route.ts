import { createAuthDoor } from '#server/http/auth.ts';
import { services } from '#server/http/services.ts';
import { asFetch } from '#server/http/wire.ts';

let handle: ((request: Request) => Promise<Response>) | null = null;
const door = (request: Request): Promise<Response> => {
  handle ??= asFetch(createAuthDoor(services()), services().config);
  return handle(request);
};

export { door as GET, door as POST };
