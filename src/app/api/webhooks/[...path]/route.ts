import { services } from '#server/http/services.ts';
import { createWebhookDoor } from '#server/http/webhooks.ts';
import { asFetch } from '#server/http/wire.ts';

const door = (request: Request): Promise<Response> =>
  asFetch(createWebhookDoor(services()), services().config)(request);

export { door as GET, door as POST };
