import { createCalendarFeedHandler } from '#server/http/calendar-feed-handler.ts';
import { toFetchHandler } from '#server/http/handler.ts';
import { services } from '#server/http/services.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createCalendarFeedHandler(services()), services().config)(request);

export { handler as GET };
