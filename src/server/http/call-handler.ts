import type { z } from 'zod';
import { ReportCallInput, SendSignalInput } from '#contract/visit-call.ts';
import {
  findSeat,
  followCall,
  leaveCall,
  parseSeatKey,
  recordHeartbeat,
  reportCall,
  sendSignal,
} from '#server/visits/index.ts';
import type { Services } from '../core/context.ts';
import { apiError } from '../core/errors.ts';
import { assertMethod, createHandler, type RequestInfo } from './create-handler.ts';
import type { Handler, HttpRequest, HttpResponse, StreamResponse } from './handler.ts';
import { parseBody, parseInput, readText, SMALL_BODY_BYTES } from './read-json.ts';

const PREFIX = '/api/calls/';
/** The method of each route. */
const METHODS: Record<string, 'GET' | 'POST'> = {
  stream: 'GET',
  here: 'POST',
  signal: 'POST',
  report: 'POST',
  leave: 'POST',
};
const NO_CONTENT: HttpResponse = { status: 204, headers: {}, body: null };

/**
 * Signaling of a video visit: each side holds the key of a seat, receives server-sent events and sends by POST. Both
 * pass the same proxies and firewalls as the portal's pages.
 */
export function createCallHandler(services: Services): Handler<StreamResponse> {
  async function handle(request: HttpRequest, { requestId }: RequestInfo): Promise<StreamResponse> {
    const name = request.path.slice(PREFIX.length);
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (!method) throw apiError('route_not_found', 'There is no such endpoint of a call.');
    assertMethod(request.method, [method]);
    const key = request.header('authorization');
    if (name === 'signal') {
      // The body is read only if the request has a well-formed key.
      parseSeatKey(services, key);
      const body = parseBody(await readText(request, SMALL_BODY_BYTES), request);
      await sendSignal(services, key, await parseFor(services, key, SendSignalInput, body));
      return NO_CONTENT;
    }
    const seat = await findSeat(services, key);
    if (name === 'stream') {
      const headers = {
        'content-type': 'text/event-stream; charset=utf-8',
        // Some proxies would buffer the stream.
        'x-accel-buffering': 'no',
      };
      return { status: 200, headers, body: await followCall(services, seat, lastSeen(request)) };
    }
    if (name === 'here') {
      await recordHeartbeat(services, seat);
      return NO_CONTENT;
    }
    if (name === 'leave') {
      await leaveCall(services, seat, { requestId, ip: request.ip, userAgent: request.header('user-agent') });
      return NO_CONTENT;
    }
    const body = parseBody(await readText(request, SMALL_BODY_BYTES), request);
    await reportCall(services, seat, parseInput(ReportCallInput, body));
    return NO_CONTENT;
  }

  return createHandler(services, { name: 'call', forPeople: true, handle });
}

/** The seq of the last signal that the page has received. */
function lastSeen(request: HttpRequest): number {
  const text = request.header('last-event-id') || '0';
  if (!/^\d{1,9}$/.test(text))
    throw apiError('invalid_parameter', 'Last-Event-ID is the id of a signal.', {
      source: { parameter: 'Last-Event-ID' },
    });
  return Number(text);
}

/** Validation errors are shown only to holders of a valid key. */
async function parseFor<Output>(
  services: Services,
  key: string | null,
  schema: z.ZodType<Output>,
  value: unknown,
): Promise<Output> {
  try {
    return parseInput(schema, value);
  } catch (error) {
    await findSeat(services, key);
    throw error;
  }
}
