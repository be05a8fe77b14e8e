import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SMTPServer } from 'smtp-server';
import { createEmulator, type RunningEmulator } from '../core/emulator.ts';
import { ErrorReply, type Problem, type Reply, type Route, type World } from '../core/route.ts';
import { within } from '../core/within.ts';
import { emptyInbox, type InboxState, isBlocked, type Message, senderToRecipient, storeMessage } from './message.ts';
import { createSmtpServer, type SmtpOptions } from './smtp.ts';
import { signature, statusRoute, type TwilioAccount } from './status-report.ts';
import { sendMessageRoute, twilioError } from './twilio.ts';

const WAIT_MS = 15_000;
const MAX_CHARACTERS = 1600;

/**
 * Twilio's opt-out keywords, matched when the text is only that word, and
 * its responses: https://help.twilio.com, "STOP filtering".
 */
const KEYWORDS: { keywords: string[]; blocks?: boolean; reply: string }[] = [
  {
    keywords: ['stop', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout'],
    blocks: true,
    reply:
      'You have successfully been unsubscribed. You will not receive any more messages from this number. Reply START to resubscribe.',
  },
  {
    keywords: ['start', 'yes', 'unstop'],
    blocks: false,
    reply:
      'You have successfully been re-subscribed to messages from this number. Reply HELP for help. Reply STOP to unsubscribe. Msg&Data Rates May Apply.',
  },
  { keywords: ['help', 'info'], reply: 'Reply STOP to unsubscribe. Msg&Data Rates May Apply.' },
];

/**
 * `POST /messages/{id}/reply {text}`: the recipient of a text replies to its sender. The emulator
 * handles Twilio's keywords, then posts the text, signed, to the account's webhook and sends the
 * message that the webhook returns. The response contains the webhook's status.
 */
function replyRoute(account?: TwilioAccount): Route<InboxState> {
  return {
    method: 'POST',
    path: '/messages/:id/reply',
    async handle({ params, body, headers }, world) {
      const message = world.state.messages.find(({ id }) => id === params.id);
      if (!message) throw controlError(404, `No message ${params.id}`);
      const { text, ...rest } = body as { text?: unknown };
      if (message.kind !== 'sms') throw controlError(400, 'Only a text message can be answered here');
      const isText = typeof text === 'string' && text !== '' && text.length <= MAX_CHARACTERS;
      if (!isText || Object.keys(rest).length > 0) throw controlError(400, `text is 1 to ${MAX_CHARACTERS} characters`);
      applyKeyword(world.state, message, text, world.clock.now());
      const webhook = account?.webhookUrl
        ? await postToWebhook(world, message, text, { ...account, webhookUrl: account.webhookUrl })
        : null;
      const isForm = (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
      return isForm ? { status: 303, headers: { location: '/' } } : { status: 200, body: { webhook } };
    },
  };
}

function applyKeyword(state: InboxState, message: Message, text: string, now: number): void {
  const keyword = KEYWORDS.find(({ keywords }) => keywords.includes(text.trim().toLowerCase()));
  if (!keyword) return;
  const key = senderToRecipient(message.from, message.to[0]!);
  if (keyword.blocks !== undefined)
    state.blocked = [...(state.blocked ?? []).filter((pair) => pair !== key), ...(keyword.blocks ? [key] : [])];
  storeReply(state, message, keyword.reply, now);
}

/** Stores a text to the person who replied, from the number that they replied to. */
const storeReply = (state: InboxState, { from, to, tenant, staff }: Message, text: string, now: number): void =>
  void storeMessage(state, {
    ...{ kind: 'sms', receivedAt: new Date(now).toISOString(), from, to, subject: '', text, html: '' },
    ...{ attachments: [], tenant, staff },
  });

async function postToWebhook(
  world: World<InboxState>,
  message: Message,
  text: string,
  { sid, token, webhookUrl }: Required<TwilioAccount>,
): Promise<number | null> {
  const form = new URLSearchParams({
    MessageSid: `SM${randomBytes(16).toString('hex')}`,
    AccountSid: sid,
    ...(message.from.startsWith('MG') && { MessagingServiceSid: message.from }),
    From: message.to[0]!,
    To: message.from.startsWith('MG') ? '+12025550199' : message.from,
    Body: text,
    NumMedia: '0',
    NumSegments: '1',
  });
  try {
    const response = await fetch(webhookUrl, {
      method: 'POST',
      headers: { 'x-twilio-signature': signature(token, webhookUrl, form) },
      body: form,
      redirect: 'error',
      signal: AbortSignal.timeout(WAIT_MS),
    });
    const reply = /<Message>([^<]*)<\/Message>/.exec(await response.text())?.[1];
    if (reply && response.ok && !isBlocked(world.state, message.from, message.to[0]!))
      storeReply(world.state, message, reply, world.clock.now());
    if (!response.ok) world.log(`the webhook for texts answered ${response.status}`);
    return response.status;
  } catch (error) {
    world.log(`the webhook for texts does not respond: ${(error as Error).message}`);
    return null;
  }
}

const controlError = (status: number, error: string) => new ErrorReply({ status, body: { error } });

const MAX_WAIT_S = 30;
/** Each waiting request holds a socket. A parallel test suite needs some dozens. */
const MAX_WAITING = 100;
const SECOND = 1000;
const POLL_MS = 50;

/** Returns messages, newest first; with `wait`, responds as soon as a matching message exists. */
function listRoute(): Route<InboxState> {
  let waiting = 0;
  return {
    method: 'GET',
    path: '/messages',
    async handle({ query, signal }, world) {
      const { wait, ...filters } = query as Record<string, string | undefined>;
      const matches = readFilters(filters);
      const seconds = readWait(wait);
      const findMatching = () => world.state.messages.filter(matches).reverse();
      const now = findMatching();
      if (seconds === 0 || now.length > 0) return { status: 200, body: now };
      if (waiting >= MAX_WAITING) throw tooManyWait();
      waiting += 1;
      try {
        const over = within(seconds * SECOND, signal);
        // Comparing `nextId` is cheap, so that polling costs little with many waiting requests.
        for (let seen = world.state.nextId; !over.aborted; seen = world.state.nextId) {
          await sleep(POLL_MS, undefined, { signal: over }).catch(() => null);
          if (world.state.nextId !== seen && findMatching().length > 0) break;
        }
      } finally {
        waiting -= 1;
      }
      return { status: 200, body: findMatching() };
    },
  };
}

type Filter = (message: Message) => boolean;

function readFilters({ to, kind, after, since, tenant, ...rest }: Record<string, string | undefined>): Filter {
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
function readAfter(after: string | undefined): Filter {
  const id = numberOf(after ?? '');
  if (id !== null) return (message) => (numberOf(message.id) ?? 0) > id;
  return readSince(after, 'after is the id of a message (msg_12), or an RFC 3339 instant');
}

function readSince(since: string | undefined, message = 'since is an RFC 3339 instant'): Filter {
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
const readRoutes = (): Route<InboxState>[] => [
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
function inboxPage(messages: Message[]): string {
  const list = messages.map(article).join('') || '<p>Nothing has been sent yet.</p>';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Inbox</title>
<style>${STYLE}</style></head><body><h1>Messages sent, newest first</h1>${list}</body></html>`;
}

const REPLY_FORM = (id: string) => `
<form method="post" action="/messages/${id}/reply"><label>Reply <input name="text" maxlength="1600" required></label>
<button>Send</button></form>`;

const article = ({ id, kind, from, to, subject, text, html, receivedAt }: Message) => `
<article id="${id}"><h2>${kind === 'email' ? escapeHtml(subject || '(no subject)') : 'Text message'}</h2>
<p>${escapeHtml(from)} to ${escapeHtml(to.join(', '))}, <time>${receivedAt}</time></p>
<pre>${withLinks(text || html)}</pre>${kind === 'sms' ? REPLY_FORM(id) : ''}</article>`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** Splits before escaping, so that no part of a message reaches the page unescaped. */
const withLinks = (text: string) =>
  text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, index) => (index % 2 ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>` : escapeHtml(part)))
    .join('');

export interface InboxEmulatorOptions {
  /** Directory where messages are stored between runs; in memory when absent. */
  dataDir?: string;
  /** 0 (the default) picks a free port. */
  smtpPort?: number;
  smtpLogin?: NonNullable<SmtpOptions['login']>;
  /** The only account that may send texts; any account when absent. */
  twilio?: TwilioAccount;
  log?(line: string): void;
}

export interface RunningInbox extends RunningEmulator<InboxState> {
  /** For example `smtp://127.0.0.1:1025`. */
  smtpUrl: string;
}

/**
 * Creates the inbox: receives email over SMTP and texts over Twilio's API, and shows both at `GET /messages` and `/`.
 *
 * - `POST /messages/{id}/reply {"text": …}` replies to a text and handles STOP and START as Twilio does.
 * - `POST /messages/{id}/status {"status": …, "error_code": …}` makes Twilio report a text's delivery status.
 * - `POST /_emulator/trigger {"name": "refuse_mail", "times": n}` makes the next emails fail temporarily (451).
 */
export function createInboxEmulator(options: InboxEmulatorOptions = {}) {
  const { dataDir, smtpPort = 0, smtpLogin, twilio, log } = options;
  const emulator = createEmulator<InboxState>({
    name: 'inbox',
    ...(dataDir && { dataDir }),
    ...(log && { log }),
    initialState: emptyInbox,
    routes: [sendMessageRoute(twilio), replyRoute(twilio), statusRoute(twilio), ...readRoutes()],
    errorShape,
    controls: {
      refuse_mail({ times = 1 }, { state }) {
        if (typeof times !== 'number' || !(times >= 0)) throw new TypeError('times must be a number from 0');
        state.mailsToRefuse = times;
        return { mailsToRefuse: times };
      },
    },
  });

  return {
    async start(port = 0, host = '127.0.0.1'): Promise<RunningInbox> {
      const running = await emulator.start(port, host);
      const smtp = createSmtpServer(running.world, smtpLogin ? { login: smtpLogin } : {});
      smtp.on('error', (error) => running.world.log(`smtp: ${error.message}`));
      try {
        await listen(smtp, smtpPort, host);
      } catch (error) {
        await running.stop();
        throw error;
      }
      return {
        ...running,
        smtpUrl: `smtp://${host}:${(smtp.server.address() as AddressInfo).port}`,
        async stop() {
          await new Promise<void>((resolve) => smtp.close(resolve));
          await running.stop();
        },
      };
    },
  };
}

function listen(smtp: SMTPServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    smtp.server.once('error', reject);
    smtp.listen(port, host, resolve);
  });
}

/** Renders the framework's problems in Twilio's error shape. */
function errorShape({ status, code, message }: Problem): Reply {
  if (code === 'unknown_path') return twilioError(20404, message);
  const number = code === 'rate_limited' ? 20429 : code === 'bad_body' ? 20001 : 20500;
  return { status, body: { code: number, message, more_info: `https://www.twilio.com/docs/errors/${number}`, status } };
}
