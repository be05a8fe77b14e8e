import { createCalendarFeedDoor } from '#server/http/calendar-feed.ts';
import { services } from '#server/http/services.ts';
import { asFetch } from '#server/http/wire.ts';

const door = (request: Request): Promise<Response> =>
  asFetch(createCalendarFeedDoor(services()), services().config)(request);

export { door as GET };
