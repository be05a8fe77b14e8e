import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from './clock.ts';
import type { FormValues } from './form.ts';
import type { WebhookSender } from './webhooks.ts';

/**
 * A handler's response. An object body is sent as JSON; a string or Buffer is sent unchanged (set its content type).
 */
export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Thrown by a handler to send an error response in the provider's shape. */
export class ErrorReply extends Error {
  override name = 'ErrorReply';
  constructor(readonly reply: Reply) {
    super(`rejected with ${reply.status}`);
  }
}

/** An error of the framework itself; each emulator renders it in its provider's shape. */
export interface Problem {
  status: number;
  code: 'bad_body' | 'unknown_path' | 'rate_limited' | 'internal' | 'unavailable';
  message: string;
}

export interface EmulatorRequest {
  method: string;
  /** Path without the query, percent-encoded as sent. */
  path: string;
  /** Values of the route's `:names`, decoded. */
  params: Record<string, string>;
  query: FormValues;
  headers: IncomingHttpHeaders;
  rawBody: Buffer;
  /** Parsed JSON (content type json) or decoded form; `{}` for an empty body. */
  body: unknown;
  ip: string;
  /** Aborted when the client disconnects or the response is complete. */
  signal: AbortSignal;
}

export interface Route<State> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** For example `/v1/customers/:id`: each `:name` is one segment, a final `*` matches any rest. */
  path: string;
  handle(request: EmulatorRequest, world: World<State>): Reply | Promise<Reply>;
}

/** Returns the values of the pattern's `:names` when `path` matches, else null. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const patternSegments = pattern.split('/');
  const segments = path.split('/');
  const open = patternSegments.at(-1) === '*';
  if (open ? segments.length < patternSegments.length : segments.length !== patternSegments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of patternSegments.entries()) {
    if (open && index === patternSegments.length - 1) break;
    const value = segments[index]!;
    if (segment.startsWith(':') && value !== '') params[segment.slice(1)] = decodeSegment(value);
    else if (segment !== value) return null;
  }
  return params;
}

function decodeSegment(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The runtime that handlers, controls and clock moves receive. */
export interface World<State> {
  /**
   * The emulator's data: plain JSON, changed in place. A reset
   * replaces the object, so do not hold a reference across calls.
   */
  state: State;
  clock: Clock;
  webhooks: WebhookSender;
  /** Injected faults; see `faults.ts`. */
  faults: {
    add(input: unknown): unknown;
    list(): { id: string; match: { method?: string; path?: string }; kind: string; times: number }[];
    clear(): void;
  };
  /** The emulator's base URL, for example `http://127.0.0.1:12111`. */
  baseUrl: string;
  /** Writes one log line for the operator. */
  log(line: string): void;
}
