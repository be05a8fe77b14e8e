import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FeedEvent } from '../feed.ts';

export type ReceivedRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
};
type Reply = { status: number; headers?: Record<string, string>; body?: unknown } | 'cut';

async function serve(respond: (request: ReceivedRequest, signal: AbortSignal) => Promise<Reply> | Reply) {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const disconnected = new AbortController();
    response.on('close', () => disconnected.abort());
    const url = new URL(request.url!, 'http://x');
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', headers } = request;
    const reply = await respond(
      { method, path: url.pathname, query: url.searchParams, headers, body },
      disconnected.signal,
    );
    if (reply === 'cut') return void request.socket.destroy();
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(reply.body === undefined ? '' : JSON.stringify(reply.body));
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A receiver that sends the given responses in order, then 204. */
export async function startReceiver(replies: Reply[] = []) {
  const received: ReceivedRequest[] = [];
  const server = await serve((request) => {
    received.push(request);
    return replies.shift() ?? { status: 204 };
  });
  return { ...server, received, sequences: () => received.map(({ body }) => JSON.parse(body).sequence as number) };
}

export const errorReply = (status: number, code: string, detail: string, meta = {}): Reply => ({
  status,
  body: { errors: [{ code, detail, meta }] },
});

/** The two endpoints that the command uses, with a feed that tests extend. */
export async function startFakeService({ tokenLifeS = 3600 } = {}) {
  const events: FeedEvent[] = [];
  const requests: ReceivedRequest[] = [];
  /** Responses to send instead, once each. */
  const next: { token: Reply[]; events: Reply[] } = { token: [], events: [] };
  const waiting = new Set<() => void>();
  let tokens = 0;
  const server = await serve(async (request, disconnected) => {
    requests.push(request);
    if (request.path === '/identity/oauth2/token') {
      const reply = next.token.shift();
      if (reply) return reply;
      if (request.headers.authorization !== `Basic ${Buffer.from('app:s3cret').toString('base64')}`)
        return { status: 401, body: { error: 'invalid_client' } };
      tokens += 1;
      return { status: 200, body: { access_token: `token ${tokens}`, expires_in: tokenLifeS } };
    }
    if (request.path !== '/api/v1/events') return { status: 404, body: {} };
    const reply = next.events.shift();
    if (reply) return reply;
    if (request.headers.authorization !== `Bearer token ${tokens}`)
      return errorReply(401, 'invalid_token', 'Not one of ours.');
    const after = Number(request.query.get('after_sequence') ?? 0);
    const types = request.query.get('event_type')?.split(',');
    const find = () =>
      request.query.get('object_id') === 'none'
        ? []
        : events.filter(({ sequence, event_type }) => sequence > after && (!types || types.includes(event_type)));
    if (find().length === 0 && request.query.has('wait'))
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        disconnected.addEventListener('abort', () => resolve());
      });
    const queued = next.events.shift();
    if (queued) return queued;
    const page = find().slice(0, Number(request.query.get('size') ?? 20));
    const through = page.length === Number(request.query.get('size')) ? page.at(-1)!.sequence : events.length;
    return {
      status: 200,
      headers: { 'newest-sequence': `${events.length}`, 'oldest-sequence': '1', 'read-through-sequence': `${through}` },
      body: page,
    };
  });
  return {
    ...server,
    requests,
    next,
    env: { CARELANE_URL: server.url, CARELANE_CLIENT_ID: 'app', CARELANE_CLIENT_SECRET: 's3cret' },
    /** Whether a follower is waiting. */
    isWaiting: () => waiting.size > 0,
    wake() {
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
    addEvents(count: number, overrides: Partial<FeedEvent> = {}) {
      for (let n = 0; n < count; n += 1) events.push(eventOf(events.length + 1, overrides));
      this.wake();
    },
  };
}
export type FakeService = Awaited<ReturnType<typeof startFakeService>>;

const eventOf = (sequence: number, overrides: Partial<FeedEvent>): FeedEvent => ({
  id: `0199-${sequence}`,
  sequence,
  event_name: 'Appointment Scheduled',
  event_type: 'appointment',
  event_topic: 'scheduled',
  tenant_id: 'clinic',
  patient_id: 'ada',
  author_type: 'Practitioner',
  author_id: 'nurse',
  created_at: '2026-11-16T15:04:05.000Z',
  time: 1_794_841_445,
  payload: { id: `visit-${sequence}`, status: 'scheduled' },
  ...overrides,
});
