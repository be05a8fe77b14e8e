import type { IncomingHttpHeaders } from 'node:http';
import type { FormValues } from './form.ts';
import type { Reply } from './reply.ts';
import type { World } from './world.ts';

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
  gone: AbortSignal;
}

export interface Route<State> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** For example `/v1/customers/:id`: each `:name` is one segment, a final `*` matches any rest. */
  path: string;
  handle(request: EmulatorRequest, world: World<State>): Reply | Promise<Reply>;
}

/** Returns the values of the pattern's `:names` when `path` matches, else null. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const open = wanted.at(-1) === '*';
  if (open ? given.length < wanted.length : given.length !== wanted.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    if (open && index === wanted.length - 1) break;
    const value = given[index]!;
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
