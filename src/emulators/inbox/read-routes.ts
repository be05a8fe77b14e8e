import { Refusal } from '../core/reply.ts';
import type { Route } from '../core/route.ts';
import { inboxPage } from './inbox-page.ts';
import type { InboxState, Message } from './message.ts';

/**
 * What people and tests read.
 *
 * - `GET /messages?to=&kind=&since=&tenant=` newest first; `to` in any case, `since` RFC 3339 and included, `tenant` what
 *   a sandbox sent for that clinic
 * - `GET /messages/{id}`, `DELETE /messages` (all)
 * - `GET /` the same as a page
 */
export const READ_ROUTES: Route<InboxState>[] = [
  {
    method: 'GET',
    path: '/messages',
    handle: ({ query }, { state }) => ({ status: 200, body: filter(state.messages, query) }),
  },
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

function filter(messages: Message[], query: object): Message[] {
  const { to, kind, since, tenant, ...rest } = query as Record<string, string | undefined>;
  const [unknown] = Object.keys(rest);
  if (unknown) throw refusal(`Unknown: ${unknown}`);
  if (kind && kind !== 'email' && kind !== 'sms') throw refusal('kind is email or sms');
  const sinceMs = since ? Date.parse(since) : Number.NEGATIVE_INFINITY;
  if (Number.isNaN(sinceMs)) throw refusal('since is an RFC 3339 instant');
  return messages
    .filter(
      (message) =>
        (!to || message.to.some((address) => address.toLowerCase() === to.toLowerCase())) &&
        (!kind || message.kind === kind) &&
        (tenant === undefined || message.tenant === tenant) &&
        Date.parse(message.receivedAt) >= sinceMs,
    )
    .reverse();
}

const refusal = (error: string) => new Refusal({ status: 400, body: { error } });
