import type { Route } from '../core/route.ts';
import { inboxPage } from './inbox-page.ts';
import { listRoute } from './list-route.ts';
import type { InboxState } from './message.ts';

/**
 * What people and tests read.
 *
 * - `GET /messages?to=&kind=&after=&since=&tenant=&wait=` newest first; `to` in any case, `after` the id of a message or an
 *   instant, `since` the same as an instant, `tenant` what a sandbox sent for that clinic; with `wait` it answers, where
 *   nothing fits yet, as soon as something does, or with nothing after so many seconds
 * - `GET /messages/{id}`, `DELETE /messages` (all)
 * - `GET /` the same as a page
 */
export const readRoutes = (): Route<InboxState>[] => [
  listRoute(),
  {
    method: 'GET',
    path: '/messages/:id',
    handle({ params }, { state }) {
      const message = state.messages.find(({ id }) => id === params.id);
      return message ? { status: 200, body: message } : { status: 404, body: { error: `No message ${params.id}` } };
    },
  },
  {
    method: 'DELETE',
    path: '/messages',
    handle(_request, { state }) {
      state.messages = [];
      return { status: 204 };
    },
  },
  {
    method: 'GET',
    path: '/',
    handle: (_request, { state }) => ({
      status: 200,
      body: inboxPage([...state.messages].reverse()),
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      },
    }),
  },
];
