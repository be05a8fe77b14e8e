import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorReply, type Route } from '../core/route.ts';
import { within } from '../core/within.ts';
import type { InboxState, Message } from './message.ts';

const MAX_WAIT_S = 30;
/** Each waiting request holds a socket. A parallel test suite needs some dozens. */
const MAX_WAITING = 100;
const SECOND = 1000;
const LOOK_MS = 50;

/** Returns messages, newest first; with `wait`, responds as soon as a matching message exists. */
function listRoute(): Route<InboxState> {
  let waiting = 0;
  return {
    method: 'GET',
    path: '/messages',
    async handle({ query, gone }, world) {
      const { wait, ...filters } = query as Record<string, string | undefined>;
      const fits = readFilters(filters);
      const seconds = readWait(wait);
      const found = () => world.state.messages.filter(fits).reverse();
      const now = found();
      if (seconds === 0 || now.length > 0) return { status: 200, body: now };
      if (waiting >= MAX_WAITING) throw tooManyWait();
      waiting += 1;
      try {
        const over = within(seconds * SECOND, gone);
        // Comparing `nextId` is cheap, so that polling costs little with many waiting requests.
        for (let seen = world.state.nextId; !over.aborted; seen = world.state.nextId) {
          await sleep(LOOK_MS, undefined, { signal: over }).catch(() => null);
          if (world.state.nextId !== seen && found().length > 0) break;
        }
      } finally {
        waiting -= 1;
      }
      return { status: 200, body: found() };
    },
  };
}

type Fits = (message: Message) => boolean;

function readFilters({ to, kind, after, since, tenant, ...rest }: Record<string, string | undefined>): Fits {
  const [unknown] = Object.keys(rest);
  if (unknown) throw badRequest(`Unknown: ${unknown}`);
  if (kind && kind !== 'email' && kind !== 'sms') throw badRequest('kind is email or sms');
  // A plus sign that is not encoded as %2B arrives as a space.
  const recipient = to?.toLowerCase().replace(/^ /, '+');
  const isAfter = readAfter(after);
  const isSince = readSince(since);
  return (message) =>
    (!recipient || message.to.some((address) => address.toLowerCase() === recipient)) &&
    (!kind || message.kind === kind) &&
    (tenant === undefined || message.tenant === tenant) &&
    isAfter(message) &&
    isSince(message);
}

/** Compares by number because ids only increase; `after` may therefore name a deleted message. */
function readAfter(after: string | undefined): Fits {
  const id = numberOf(after ?? '');
  if (id !== null) return (message) => (numberOf(message.id) ?? 0) > id;
  return readSince(after, 'after is the id of a message (msg_12), or an RFC 3339 instant');
}

function readSince(since: string | undefined, message = 'since is an RFC 3339 instant'): Fits {
  if (!since) return () => true;
  const at = Date.parse(since);
  if (Number.isNaN(at)) throw badRequest(message);
  return ({ receivedAt }) => Date.parse(receivedAt) >= at;
}

function readWait(wait: string | undefined): number {
  if (wait === undefined) return 0;
  if (!/^\d{1,2}$/.test(wait) || Number(wait) > MAX_WAIT_S)
    throw badRequest(`wait is a number of seconds, 0 to ${MAX_WAIT_S}`);
  return Number(wait);
}

const numberOf = (id: string): number | null => {
  const [, digits] = /^msg_(\d{1,15})$/.exec(id) ?? [];
  return digits === undefined ? null : Number(digits);
};

const badRequest = (error: string) => new ErrorReply({ status: 400, body: { error } });
const tooManyWait = () =>
  new ErrorReply({
    status: 429,
    headers: { 'retry-after': '1' },
    body: { error: `${MAX_WAITING} requests wait for messages already; ask again in a second, or without wait` },
  });

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

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1d2b2c; }
  article { border-top: 1px solid #cfd8d8; padding: 1rem 0; }
  h1 { font-size: 1.3rem } h2 { font-size: 1.05rem; margin: 0 } p { margin: 0; color: #5a6a6b }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: .6rem 0 0 }
`;

/** Renders every message as text with clickable links. HTML parts of emails are never rendered. */
export function inboxPage(messages: Message[]): string {
  const list = messages.map(article).join('') || '<p>Nothing has been sent yet.</p>';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Inbox</title>
<style>${STYLE}</style></head><body><h1>Messages sent, newest first</h1>${list}</body></html>`;
}

const WRITE_BACK = (id: string) => `
<form method="post" action="/messages/${id}/reply"><label>Reply <input name="text" maxlength="1600" required></label>
<button>Send</button></form>`;

const article = ({ id, kind, from, to, subject, text, html, receivedAt }: Message) => `
<article id="${id}"><h2>${kind === 'email' ? escapeHtml(subject || '(no subject)') : 'Text message'}</h2>
<p>${escapeHtml(from)} to ${escapeHtml(to.join(', '))}, <time>${receivedAt}</time></p>
<pre>${withLinks(text || html)}</pre>${kind === 'sms' ? WRITE_BACK(id) : ''}</article>`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** Splits before escaping, so that no part of a message reaches the page unescaped. */
const withLinks = (text: string) =>
  text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, index) => (index % 2 ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>` : escapeHtml(part)))
    .join('');
