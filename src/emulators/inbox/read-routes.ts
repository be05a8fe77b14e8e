import type { Route } from '../core/route.ts';
import { inboxPage } from './inbox-page.ts';
import { listRoute } from './list-route.ts';
import type { InboxState } from './message.ts';

/**
 * Routes for people and tests.
 *
 * - `GET /messages?to=&kind=&after=&since=&tenant=&wait=` newest first. `to` ignores case, `after` is a message id
 *   or an instant, `since` is an instant, `tenant` is the clinic that a sandbox sent the message for. With `wait`
 *   (seconds) and no match, responds as soon as a message matches, or with an empty list after that time.
 * - `GET /messages/{id}`, `DELETE /messages` (all)
 * - `GET /` the same list as a page
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
