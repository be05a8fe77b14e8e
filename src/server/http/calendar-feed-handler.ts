import { contextFor, type Services } from '../core/context.ts';
import { notFound } from '../core/errors.ts';
import { tenantOfToken } from '../core/ids.ts';
import { sourceOf } from '../core/ip-address.ts';
import { createCaller } from '../router.ts';
import { assertRequestLimit } from './address-limit.ts';
import { createHandler } from './create-handler.ts';
import type { Handler } from './handler.ts';

const ADDRESS = /^\/api\/calendars\/([\w.-]{1,200})\.ics$/;

/** Serves a staff user's calendar feed to calendar programs; the link's token is the credential. */
export function createCalendarFeedHandler(services: Services): Handler {
  return createHandler(services, {
    name: 'calendar feed',
    methods: ['GET', 'HEAD'],
    async handle(request, { requestId }) {
      assertRequestLimit(services, { name: 'calendar_feed_requests', key: [sourceOf(request.ip)] });
      const token = ADDRESS.exec(request.path)?.[1];
      const tenantId = token ? tenantOfToken(token) : null;
      if (!token || !tenantId) throw notFound('link');
      const requestInfo = { requestId, ip: request.ip, userAgent: request.header('user-agent') };
      const caller = createCaller(contextFor(services, { kind: 'visitor', tenantId }, requestInfo));
      const { file } = await caller.calendarFeed.open({ token });
      return { status: 200, headers: { 'content-type': 'text/calendar; charset=utf-8' }, body: file };
    },
  });
}
