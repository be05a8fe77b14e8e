import { services } from '#server/http/services.ts';
import { createPortalDoor } from '#server/http/trpc.ts';

let handle: ((request: Request) => Promise<Response>) | null = null;
const door = (request: Request): Promise<Response> => {
  handle ??= createPortalDoor(services());
  return handle(request);
};

export { door as GET, door as POST };
