import { services } from '#server/http/services.ts';
import { createSubscriptionsDoor } from '#server/http/subscriptions.ts';
import { asFetch } from '#server/http/wire.ts';

const door = (request: Request): Promise<Response> =>
  asFetch(createSubscriptionsDoor(services()), services().config)(request);

export { door as GET };
