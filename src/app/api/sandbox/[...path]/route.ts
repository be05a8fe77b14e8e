import { createSandboxDoor } from '#server/http/sandbox.ts';
import { services } from '#server/http/services.ts';
import { asFetch } from '#server/http/wire.ts';

const door = (request: Request): Promise<Response> =>
  asFetch(createSandboxDoor(services()), services().config)(request);

export { door as GET, door as HEAD, door as POST };
