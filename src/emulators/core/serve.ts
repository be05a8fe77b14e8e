import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTROL_PREFIX } from './controls.ts';
import type { Fault, FaultBook } from './faults.ts';
import { decodeForm, FormError } from './form.ts';
import {
  type EmulatorRequest,
  ErrorReply,
  matchPath,
  type Problem,
  type Reply,
  type Route,
  type World,
} from './route.ts';

const MAX_BODY_BYTES = 2 * 1024 * 1024;

type ReadResult = { ok: true; value: EmulatorRequest } | { ok: false; message: string };

/** Reads the whole request. Not ok when the body is too large or does not match its content type. */
async function readRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<ReadResult> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return { ok: false, message: 'The body is too large' };
    chunks.push(chunk);
  }
  const rawBody = Buffer.concat(chunks);
  const [path = '/', query = ''] = splitOnce(incoming.url ?? '/', '?');
  try {
    const value = {
      method: incoming.method ?? 'GET',
      path,
      params: {},
      query: decodeForm(query),
      headers: incoming.headers,
      rawBody,
      body: parseBody(rawBody.toString('utf8'), incoming.headers['content-type'] ?? ''),
      ip: incoming.socket.remoteAddress ?? '',
      signal,
    };
    return { ok: true, value };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof FormError) return { ok: false, message: error.message };
    throw error;
  }
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function parseBody(text: string, contentType: string): unknown {
  if (text === '') return {};
  return contentType.includes('json') ? JSON.parse(text) : decodeForm(text);
}

const DRIP_PIECES = 20;

function encode({ status, body, headers = {} }: Reply): {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
} {
  if (body === undefined) return { status, headers, bytes: Buffer.alloc(0) };
  if (Buffer.isBuffer(body)) return { status, headers, bytes: body };
  if (typeof body === 'string') return { status, headers, bytes: Buffer.from(body) };
  const json = { 'content-type': 'application/json', ...headers };
  return { status, headers: json, bytes: Buffer.from(JSON.stringify(body)) };
}

function write(outgoing: ServerResponse, reply: Reply): void {
  const { status, headers, bytes } = encode(reply);
  outgoing.writeHead(status, { ...headers, 'content-length': String(bytes.length) });
  outgoing.end(bytes);
}

/** Sends the correct response in small pieces over `overMs` milliseconds. */
async function sendSlowly(outgoing: ServerResponse, reply: Reply, overMs: number): Promise<void> {
  const { status, headers, bytes } = encode(reply);
  outgoing.writeHead(status, { ...headers, 'content-length': String(bytes.length) });
  const piece = Math.max(1, Math.ceil(bytes.length / DRIP_PIECES));
  for (let at = 0; at < bytes.length && !outgoing.destroyed; at += piece) {
    outgoing.write(bytes.subarray(at, at + piece));
    await sleep(overMs / DRIP_PIECES);
  }
  outgoing.end();
}

/** Sends the full `content-length` and then closes the connection halfway through the body. */
function truncate(outgoing: ServerResponse, reply: Reply): void {
  const { status, headers, bytes } = encode(reply);
  outgoing.writeHead(status, { ...headers, 'content-length': String(bytes.length) });
  outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => outgoing.destroy());
}

interface Serving<State> {
  routes: Route<State>[];
  world: World<State>;
  faults: FaultBook;
  panel(request: EmulatorRequest): Promise<Reply>;
  errorShape(problem: Problem): Reply;
  middleware?(request: EmulatorRequest, world: World<State>, next: () => Promise<Reply>): Promise<Reply>;
  changed(): void;
  cors?: boolean;
  log(line: string): void;
}

export function createListener<State>(serving: Serving<State>) {
  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    try {
      await serve(serving, incoming, outgoing);
    } catch (error) {
      serving.log(`${incoming.method} ${incoming.url} failed: ${(error as Error).stack}`);
      if (!outgoing.headersSent)
        write(outgoing, serving.errorShape({ status: 500, code: 'internal', message: String(error) }));
      else outgoing.destroy();
    }
  };
}

async function serve<State>(
  serving: Serving<State>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const controls = incoming.url?.startsWith(CONTROL_PREFIX) ?? false;
  // Stripe.js calls the API from the shop's pages, so the API accepts any origin; the control routes never do.
  const forAnyPage = serving.cors && !controls;
  if (isRenamed(incoming) || (!forAnyPage && isFromElsewhere(incoming)))
    return write(outgoing, { status: 403, body: { error: 'Not for pages of other origins' } });
  if (forAnyPage) allowBrowsers(incoming, outgoing);
  const disconnected = new AbortController();
  outgoing.once('close', () => disconnected.abort());
  const request = await readRequest(incoming, disconnected.signal);
  if (!request.ok)
    return write(outgoing, serving.errorShape({ status: 400, code: 'bad_body', message: request.message }));
  const { method } = request.value;
  if (controls) {
    const reply = await serving.panel(request.value);
    if (method !== 'GET') serving.changed();
    return write(outgoing, reply);
  }
  if (serving.cors && method === 'OPTIONS') return write(outgoing, { status: 204 });
  await withFault(serving, request.value, outgoing, serving.faults.consume(request.value));
}

async function withFault<State>(
  serving: Serving<State>,
  request: EmulatorRequest,
  outgoing: ServerResponse,
  fault?: Fault,
) {
  const hold = async (ms: number) => {
    await Promise.race([
      sleep(ms, undefined, { ref: false }),
      new Promise((resolve) => outgoing.once('close', resolve)),
    ]);
    outgoing.destroy();
  };
  switch (fault?.kind) {
    case '429':
      return write(outgoing, serving.errorShape({ status: 429, code: 'rate_limited', message: 'Injected rate limit' }));
    case '500':
      return write(outgoing, serving.errorShape({ status: 500, code: 'internal', message: 'Injected failure' }));
    case '503':
      return write(outgoing, serving.errorShape({ status: 503, code: 'unavailable', message: 'Injected outage' }));
    case 'timeout_before':
      return hold(fault.holdMs);
    case 'reset_before':
      outgoing.socket?.resetAndDestroy();
      return;
  }
  const reply = await dispatch(serving, request);
  switch (fault?.kind) {
    case 'timeout_after':
      return hold(fault.holdMs);
    case 'reset_after':
      outgoing.socket?.resetAndDestroy();
      return;
    case 'slow_drip':
      return sendSlowly(outgoing, reply, fault.holdMs);
    case 'truncated':
      return truncate(outgoing, reply);
    case 'wrong_schema':
      return write(outgoing, { ...reply, body: { unexpected: true } });
    default:
      return write(outgoing, reply);
  }
}

async function dispatch<State>(serving: Serving<State>, request: EmulatorRequest): Promise<Reply> {
  const { world } = serving;
  for (const route of serving.routes) {
    const params = route.method === request.method ? matchPath(route.path, request.path) : null;
    if (!params) continue;
    const matched = { ...request, params };
    const next = async () => route.handle(matched, world);
    try {
      return await (serving.middleware ? serving.middleware(matched, world, next) : next());
    } catch (error) {
      if (error instanceof ErrorReply) return error.reply;
      throw error;
    } finally {
      if (request.method !== 'GET') serving.changed();
    }
  }
  serving.log(`rejected: ${request.method} ${request.path} is not emulated`);
  const message = `Unrecognized request URL (${request.method}: ${request.path}).`;
  return serving.errorShape({ status: 404, code: 'unknown_path', message });
}

function allowBrowsers(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.setHeader('access-control-allow-origin', '*');
  outgoing.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  outgoing.setHeader('access-control-allow-headers', incoming.headers['access-control-request-headers'] ?? '*');
  outgoing.setHeader('access-control-max-age', '600');
}

type RequestHead = Pick<IncomingMessage, 'method' | 'headers'>;

/**
 * Detects DNS rebinding: the `Host` is a name that another site points at this
 * machine, so its pages would appear to be same-origin with the emulator.
 */
function isRenamed({ headers: { host = '' } }: RequestHead): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return name !== 'localhost' && isIP(name) === 0;
}

/**
 * Detects a request from a page of another origin, by `Origin` or else by `Sec-Fetch-Site` (Fetch Metadata
 * §2.2). Such a page could read or change the emulator's state. A top-level navigation by link is allowed.
 */
function isFromElsewhere({ method, headers }: RequestHead): boolean {
  const { origin, host } = headers;
  if (origin !== undefined) return origin !== `http://${host}`;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return method !== 'GET' || headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}
