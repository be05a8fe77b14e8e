import { randomInt } from 'node:crypto';
import { request } from 'node:http';
import type { TestResponse } from '../testing/patient-sign-in.ts';

export type RequestInput = {
  json?: unknown;
  form?: Record<string, string>;
  /** Sent verbatim. */
  body?: string | Uint8Array;
  token?: string;
  cookie?: string;
  headers?: Record<string, string>;
};
export type Reply = TestResponse & { text: string; bytes: number; setCookie: string[]; ms: number };
/** The origin of requests: an IP address and a browser's user agent. */
export type Source = {
  ip: string;
  send(method: string, url: string, input?: RequestInput): Promise<Reply>;
  /** For the SDK. */
  fetch: typeof globalThis.fetch;
};

const TIMEOUT_MS = 30_000;
export const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';
export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/**
 * Returns unused addresses of this machine. On Linux all of 127.0.0.0/8 is loopback, so these are real addresses that a
 * service sees regardless of its proxy settings, and its limits for 127.0.0.1 are unaffected.
 */
export function createSources() {
  const network = randomInt(16, 250);
  let count = randomInt(0, 20_000);
  return (browser = CHROME): Source => {
    count += 1;
    return sourceAt(`127.${network}.${(count >> 8) & 255}.${1 + (count % 254)}`, browser);
  };
}

function sourceAt(ip: string, browser: string): Source {
  async function sendRequest(
    method: string,
    url: string,
    { json, form, token, cookie, body, headers }: RequestInput = {},
  ) {
    const sent = json !== undefined ? JSON.stringify(json) : form ? new URLSearchParams(form).toString() : body;
    const type = json !== undefined ? 'application/json' : form ? 'application/x-www-form-urlencoded' : null;
    return send(ip, method, url, sent, {
      'user-agent': browser,
      ...(type && { 'content-type': type }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...(cookie && { cookie }),
      ...headers,
    });
  }
  return {
    ip,
    send: sendRequest,
    async fetch(url, init) {
      const { method = 'GET', body, headers } = init ?? {};
      const input = { ...(typeof body === 'string' && { body }), headers: Object.fromEntries(new Headers(headers)) };
      const { status, text, headers: responseHeaders } = await sendRequest(method, String(url), input);
      return new Response(status === 204 ? null : text, { status, headers: responseHeaders });
    },
  };
}

function send(
  localAddress: string,
  method: string,
  address: string,
  body: string | Uint8Array | undefined,
  headers: Record<string, string>,
): Promise<Reply> {
  const url = new URL(address);
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request({
      // By number, because `localhost` may resolve to an IPv6 address.
      host: url.hostname === 'localhost' ? '127.0.0.1' : url.hostname,
      port: url.port,
      path: address.slice(url.origin.length) || '/',
      localAddress,
      method,
      agent: false,
      headers: { host: url.host, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }), ...headers },
    });
    let hasResponse = false;
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error(`${method} ${url.pathname} was not answered`)));
    // A server that rejects a body early may close the connection before the rest is sent.
    sent.on('error', (error) => !hasResponse && reject(error));
    sent.on('response', (response) => {
      hasResponse = true;
      const chunks: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const content = Buffer.concat(chunks);
        const text = content.toString();
        const { 'set-cookie': setCookie = [], ...rest } = response.headers;
        resolve({
          status: response.statusCode!,
          headers: new Headers(Object.entries(rest).map(([name, value]) => [name, String(value)])),
          body: parse(text),
          text,
          bytes: content.length,
          setCookie,
          ms: performance.now() - begun,
        });
      });
    });
    sent.end(body);
  });
}

function parse(text: string): unknown {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
