import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector, request } from 'undici';
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
export type WebhookClient = {
  send(target: {
    url: string;
    headers: Record<string, string>;
    body: string;
    signal: AbortSignal;
  }): Promise<WebhookResponse>;
  close(): Promise<void>;
};

/** The name lookup. */
export type Resolve = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

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

  async function post(
    url: URL,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ): Promise<WebhookResponse> {
    const response = await request(url, { method: 'POST', headers, body, signal, dispatcher: agent });
    const { statusCode: status } = response;
    const after = response.headers['retry-after'];
    const retryAfter = typeof after === 'string' ? after : null;
    const parts: Buffer[] = [];
    let size = 0;
    const excerpt = () => Buffer.concat(parts).subarray(0, MAX_EXCERPT_BYTES).toString('utf8').replaceAll('\u0000', '');
    try {
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        if (size < MAX_EXCERPT_BYTES) parts.push(chunk);
        size += chunk.length;
        if (size > MAX_RESPONSE_BYTES)
          return { status, error: 'the answer is longer than 64 kB', answer: excerpt(), retryAfter };
      }
    } catch (error) {
      // Also after a 2xx: a receiver whose response breaks off may not have handled the event.
      return { status, error: messageOf(error, signal), answer: excerpt(), retryAfter };
    }
    return { status, error: statusErrorOf(status), answer: excerpt(), retryAfter };
  }

  return {
    async send({ url, headers, body, signal }) {
      const over = new AbortController();
      const end = () => over.abort();
      const timer = setTimeout(end, responseTimeoutMs);
      if (signal.aborted) end();
      signal.addEventListener('abort', end, { once: true });
      try {
        return await post(targetOf(url), headers, body, over.signal);
      } catch (error) {
        return { status: null, error: messageOf(error, over.signal), answer: '', retryAfter: null };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
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

function messageOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'no whole answer within 15 seconds';
  const { code = '', message, cause } = error as Error & { code?: string };
  if (error instanceof ForbiddenTargetError) return message;
  if (cause instanceof ForbiddenTargetError) return cause.message;
  if (MESSAGES[code]) return MESSAGES[code];
  if (/CERT|SSL|TLS|ALTNAME|SELF_SIGNED|UNABLE_TO/.test(code)) return `its certificate is not accepted (${code})`;
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return 'no whole answer within 15 seconds';
  return `the answer could not be read (${code || message.slice(0, 100)})`;
}
