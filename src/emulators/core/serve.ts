import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTROL_PREFIX } from './controls.ts';
import type { Fault, FaultBook } from './faults.ts';
import { isFromElsewhere, isRenamed } from './foreign.ts';
import { readRequest } from './read-request.ts';
import { type Problem, Refusal, type Reply } from './reply.ts';
import { type EmulatorRequest, matchPath, type Route } from './route.ts';
import type { World } from './world.ts';
import { drip, truncate, write } from './write-reply.ts';

interface Serving<State> {
  routes: Route<State>[];
  world: World<State>;
  faults: FaultBook;
  panel(request: EmulatorRequest): Promise<Reply>;
  errorShape(problem: Problem): Reply;
  around?(request: EmulatorRequest, world: World<State>, next: () => Promise<Reply>): Promise<Reply>;
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
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const request = await readRequest(incoming, gone.signal);
  if (!request.ok)
    return write(outgoing, serving.errorShape({ status: 400, code: 'bad_body', message: request.message }));
  const { method } = request.value;
  if (controls) {
    const reply = await serving.panel(request.value);
    if (method !== 'GET') serving.changed();
    return write(outgoing, reply);
  }
  if (serving.cors && method === 'OPTIONS') return write(outgoing, { status: 204 });
  await withFault(serving, request.value, outgoing, serving.faults.strike(request.value));
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
      return drip(outgoing, reply, fault.holdMs);
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
      return await (serving.around ? serving.around(matched, world, next) : next());
    } catch (error) {
      if (error instanceof Refusal) return error.reply;
      throw error;
    } finally {
      if (request.method !== 'GET') serving.changed();
    }
  }
  serving.log(`refused: ${request.method} ${request.path} is not emulated`);
  const message = `Unrecognized request URL (${request.method}: ${request.path}).`;
  return serving.errorShape({ status: 404, code: 'unknown_path', message });
}

function allowBrowsers(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.setHeader('access-control-allow-origin', '*');
  outgoing.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  outgoing.setHeader('access-control-allow-headers', incoming.headers['access-control-request-headers'] ?? '*');
  outgoing.setHeader('access-control-max-age', '600');
}
