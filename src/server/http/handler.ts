import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { Config } from '../core/config.ts';
import { defaultHeaders } from './default-headers.ts';

/** The request as handlers see it, independent of the server. */
export type HttpRequest = {
  method: string;
  /** Path only, still percent-encoded. */
  path: string;
  query: URLSearchParams;
  header(name: string): string | null;
  /** The body's bytes. Rejects with BodyTooLarge past `limit` bytes. */
  body(limit: number): Promise<Uint8Array>;
  ip: string;
  /** Aborted when the client disconnects before the response. */
  abortSignal?: () => AbortSignal;
};
/** `Body` may be bytes or a stream; an error is text. */
export type HttpResponse<Body = string> = {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | string[]>;
  body: Body | string | null;
};
/** The response of a handler that serves files. */
export type FileResponse = HttpResponse<Uint8Array<ArrayBuffer>>;
/** The response of a handler that streams. */
export type StreamResponse = HttpResponse<ReadableStream<Uint8Array>>;
export type Handler<Response = HttpResponse> = (request: HttpRequest) => Promise<Response>;
export type AnyHandler = Handler<FileResponse | StreamResponse>;

/** In UTF-16 code units. */
const LONG_BODY = 16_384;

export class BodyTooLarge extends Error {}

const NOTHING = new Uint8Array();
/** RFC 9112 §6.3: a request with neither field has no body. Iterating an empty stream costs as much as finding a record. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

async function gather(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) throw new BodyTooLarge();
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/**
 * Ends when the client disconnects. A failed stream breaks the connection, so that a partial body is not taken for the
 * whole.
 */
async function pipe(body: ReadableStream<Uint8Array>, res: ServerResponse): Promise<void> {
  res.flushHeaders();
  await pipeline(Readable.fromWeb(body as NodeReadableStream<Uint8Array>), res).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    },
  );
}

/** Made on demand: most responses are sent before a client could disconnect. */
function abortSignalOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (res.destroyed) controller.abort();
  else res.once('close', () => controller.abort());
  return controller.signal;
}

/** Adapts a handler to Node's server and adds the default headers that a response did not set. */
export function toNodeHandler(handler: AnyHandler, options: Pick<Config, 'trustProxy' | 'environment'>) {
  const defaults = Object.entries(defaultHeaders(options));
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const raw = req.url ?? '/';
    const mark = raw.indexOf('?');
    // `req.headers` hides the second of two Authorization headers; joined, they are rejected.
    const header = (name: string) =>
      req.headersDistinct[name.toLowerCase()]?.join(name.toLowerCase() === 'cookie' ? '; ' : ', ') ?? null;
    // The last address comes from the trusted proxy.
    const forwarded = options.trustProxy ? header('x-forwarded-for') : null;
    const { status, headers, body } = await handler({
      method: req.method ?? 'GET',
      path: mark < 0 ? raw : raw.slice(0, mark),
      query: new URLSearchParams(mark < 0 ? '' : raw.slice(mark + 1)),
      header,
      body: async (limit) => (hasBody(req) ? gather(req, limit) : NOTHING),
      ip: forwarded?.split(',').at(-1)?.trim() || (req.socket.remoteAddress ?? 'unknown'),
      abortSignal: () => abortSignalOf(res),
    });
    // Counting a long text's bytes costs as much as encoding it, which Node would do again; a short one is sent with
    // its headers.
    const bytes = typeof body === 'string' && body.length > LONG_BODY ? Buffer.from(body) : body;
    const isStream = bytes instanceof ReadableStream;
    // Names and values in turn: Node formats such a list without storing it, and no object is copied.
    const list: (string | string[])[] = [];
    for (const [name, value] of defaults) if (headers[name] === undefined) list.push(name, value);
    for (const name in headers) list.push(name, headers[name]!);
    if (bytes !== null && !isStream) list.push('content-length', String(Buffer.byteLength(bytes)));
    // The unread rest of a body would be taken for the next request.
    if (!req.complete) list.push('connection', 'close');
    // The server's own `writeHead` would store each header.
    ServerResponse.prototype.writeHead.call(res, status, list as string[]);
    if (isStream) return pipe(bytes, res);
    res.end(req.method === 'HEAD' ? undefined : bytes);
  };
}
