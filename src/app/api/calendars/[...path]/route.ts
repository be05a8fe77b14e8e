import { createCalendarFeedHandler } from '#server/http/calendar-feed.ts';
import { services } from '#server/http/services.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createCalendarFeedHandler(services()), services().config)(request);

export { handler as GET };
