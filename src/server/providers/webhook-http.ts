import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { SECOND } from '../core/clock.ts';
import type { Config } from '../core/config.ts';
import { assertAddressAllowed, ForbiddenTargetError, parseTarget } from './public-address.ts';

const CONNECT_TIMEOUT_MS = 5 * SECOND;
const RESPONSE_TIMEOUT_MS = 15 * SECOND;
const KEEP_ALIVE_MS = 4 * SECOND;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_EXCERPT_BYTES = 2 * 1024;
const CONNECTIONS_A_HOST = 16;
const MAX_TARGETS = 1000;

type Rules = Pick<Config, 'environment' | 'webhookRanges'>;
export type WebhookResponse = {
  status: number | null;
  /** Why it is no success; null for a success. */
  error: string | null;
  /** The beginning of the response. */
  answer: string;
  retryAfter: string | null;
};
type Message = { url: string; headers: Record<string, string>; body: string; signal: AbortSignal };
export type WebhookClient = {
  send(message: Message): Promise<WebhookResponse>;
  close(): Promise<void>;
};

/** The name lookup. */
export type Resolve = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const NOT_IN_TIME = 'no whole answer within 15 seconds';
/** Descriptions of failed connections, for the receiver's operator. */
const MESSAGES: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before the answer was whole',
  UND_ERR_SOCKET: 'the connection was closed before the answer was whole',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the connection was closed before the answer was whole',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name could not be looked up',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  EPROTO: 'no secure connection could be made',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
};

/**
 * Creates a client that sends to addresses that customers chose. Every connection's address is validated: at the
 * lookup, so that a name that resolves differently the second time is validated again, and on the connected socket. It
 * follows no redirect, uses no proxy of the environment and reads at most 64 kB of a response.
 */
export function createWebhookClient(
  rules: Rules,
  { resolve = lookup as Resolve, responseTimeoutMs = RESPONSE_TIMEOUT_MS } = {},
): WebhookClient {
  const lookupFor =
    (plain: boolean): LookupFunction =>
    (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '', 0);
        try {
          for (const { address } of addresses) assertAddressAllowed(address, rules, { plain });
        } catch (error) {
          return callback(error as Error, '', 0);
        }
        if (options.all) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      });
    };
  const connectorFor = (plain: boolean) =>
    buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: lookupFor(plain) } as never);
  const connectors = { plain: connectorFor(true), secure: connectorFor(false) };
  const agent = new Agent({
    connect(options, callback) {
      const plain = options.protocol === 'http:';
      connectors[plain ? 'plain' : 'secure'](options, (...[error, socket]) => {
        if (error) return callback(error, null);
        try {
          assertAddressAllowed(socket.remoteAddress ?? '', rules, { plain });
          callback(null, socket);
        } catch (error) {
          socket.destroy();
          callback(error as Error, null);
        }
      });
    },
    connections: CONNECTIONS_A_HOST,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: responseTimeoutMs,
    bodyTimeout: responseTimeoutMs,
    maxHeaderSize: 16 * 1024,
  });

  /** The result for a URL's spelling never changes; the addresses of its name are validated at each connection. */
  const targets = new LRUCache<string, URL>({ max: MAX_TARGETS });
  function targetOf(url: string): URL {
    const target = targets.get(url) ?? parseTarget(url, rules);
    targets.set(url, target);
    return target;
  }

  /** Dispatches with a handler: undici's `request` makes a stream for each response, which costs more than the rest. */
  function post({ origin, pathname, search }: URL, { headers, body, signal }: Message): Promise<WebhookResponse> {
    return new Promise((resolve) => {
      let controller: Dispatcher.DispatchController | null = null;
      let isSettled = false;
      let [status, retryAfter]: [number | null, string | null] = [null, null];
      const parts: Buffer[] = [];
      let size = 0;
      const settle = (error: string | null): void => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', expire);
        const answer = Buffer.concat(parts).subarray(0, MAX_EXCERPT_BYTES).toString('utf8').replaceAll('\u0000', '');
        resolve({ status, error, answer, retryAfter });
      };
      const cut = (error: string): void => {
        settle(error);
        controller?.abort(new Error(error));
      };
      const expire = () => cut(NOT_IN_TIME);
      const timer = setTimeout(expire, responseTimeoutMs);
      signal.addEventListener('abort', expire, { once: true });
      if (signal.aborted) expire();
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(started) {
          controller = started;
          if (isSettled) started.abort(new Error(NOT_IN_TIME));
        },
        onResponseStart(_, statusCode, responseHeaders) {
          if (statusCode < 200) return;
          status = statusCode;
          const after = responseHeaders['retry-after'];
          retryAfter = typeof after === 'string' ? after : null;
        },
        onResponseData(_, chunk) {
          if (size < MAX_EXCERPT_BYTES) parts.push(chunk);
          size += chunk.length;
          if (size > MAX_RESPONSE_BYTES) cut('the answer is longer than 64 kB');
        },
        onResponseEnd: () => settle(statusErrorOf(status!)),
        // Also after a 2xx: a receiver whose response breaks off may not have handled the event.
        onResponseError: (_, error) => settle(messageOf(error)),
      };
      agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, handler);
    });
  }

  return {
    send: async (message) => {
      try {
        return await post(targetOf(message.url), message);
      } catch (error) {
        return { status: null, error: messageOf(error), answer: '', retryAfter: null };
      }
    },
    close: () => agent.destroy(),
  };
}

function statusErrorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `it answered ${status}: redirects are not followed`;
  return `it answered ${status}`;
}

function messageOf(error: unknown): string {
  const { code = '', message, cause } = error as Error & { code?: string };
  if (error instanceof ForbiddenTargetError) return message;
  if (cause instanceof ForbiddenTargetError) return cause.message;
  if (MESSAGES[code]) return MESSAGES[code];
  if (/CERT|SSL|TLS|ALTNAME|SELF_SIGNED|UNABLE_TO/.test(code)) return `its certificate is not accepted (${code})`;
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return NOT_IN_TIME;
  return `the answer could not be read (${code || message.slice(0, 100)})`;
}
