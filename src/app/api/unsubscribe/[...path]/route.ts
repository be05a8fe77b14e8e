import { services } from '#server/http/services.ts';
import { createUnsubscribeDoor } from '#server/http/unsubscribe.ts';
import { asFetch } from '#server/http/wire.ts';

const door = (request: Request): Promise<Response> =>
  asFetch(createUnsubscribeDoor(services()), services().config)(request);

export { door as GET, door as POST };
