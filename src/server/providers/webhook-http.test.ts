import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createWebhookClient, type Resolve, type WebhookClient } from './webhook-http.ts';

const sandbox = { environment: 'sandbox' as const, webhookRanges: [] };
const production = { environment: 'production' as const, webhookRanges: [] };
const never = new AbortController().signal;
const open: { close(): void }[] = [];
let client: WebhookClient;
beforeAll(() => {
  client = createWebhookClient(sandbox);
});
afterAll(() => client.close());
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => server.close() });
  return (server.address() as AddressInfo).port;
}
const serve = async (handler: RequestListener) => `http://127.0.0.1:${await listen(createServer(handler))}/`;
/** A server that writes raw bytes. */
const serveRaw = async (respond: (socket: Socket) => void) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => respond(socket));
    open.push({ close: () => socket.destroy() });
  });
  return `http://127.0.0.1:${await listen(server)}/`;
};
const send = (url: string, by = client) => by.send({ url, headers: { 'webhook-id': 'a' }, body: '{}', signal: never });

test('a complete 2xx response is a success, and its first 2 kB are stored', async () => {
  const url = await serve((_, response) => response.writeHead(202).end(`\u0000${'x'.repeat(5000)}`));
  const { error, status, answer } = await send(url);
  expect([error, status, answer.length]).toEqual([null, 202, 2047]);
});

test.each([301, 302, 303, 307, 308])('a redirect (%d) is not followed', async (status) => {
  let requests = 0;
  const elsewhere = await serve((_, response) => {
    requests += 1;
    response.end();
  });
  const url = await serve((_, response) => response.writeHead(status, { location: elsewhere }).end());
  expect(await send(url)).toMatchObject({ status, error: expect.stringContaining('redirects are not followed') });
  expect(requests).toBe(0);
});

test('a response of a gigabyte is cut at 64 kB', async () => {
  let sent = 0;
  const url = await serve((request, response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(65_536);
    const more = () => {
      while (sent < 2 ** 30 && !request.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return response.once('drain', more);
      }
      return response.end();
    };
    more();
  });
  expect(await send(url)).toMatchObject({ status: 200, error: 'the answer is longer than 64 kB' });
  expect(sent).toBeLessThan(64 * 2 ** 20);
});

test('an incomplete response is an error', async () => {
  const incomplete = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf';
  const closed = 'the connection was closed before the answer was whole';
  expect(await send(await serveRaw((socket) => socket.end(incomplete)))).toMatchObject({
    error: closed,
    answer: 'half',
  });
  expect(await send(await serveRaw((socket) => socket.end('HTTP/1.1 200')))).toMatchObject({
    status: null,
    error: closed,
  });
  expect(await send(await serveRaw((socket) => socket.destroy()))).toMatchObject({ status: null, error: closed });
});

test('an invalid HTTP response is an error', async () => {
  for (const reply of [
    'SSH-2.0-OpenSSH_9\r\n',
    'HTTP/1.1 abc OK\r\n\r\n',
    `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`,
  ]) {
    const { status, error } = await send(await serveRaw((socket) => socket.end(reply)));
    expect([status, typeof error]).toEqual([null, 'string']);
  }
});

test('returns an error for a response that is not whole within 15 seconds', { timeout: 40_000 }, async () => {
  // The short test run waits for one second; `npm run prove` for as long as the service does.
  const brief = createWebhookClient(sandbox, process.env.PROVE ? {} : { responseTimeoutMs: 1_000 });
  open.push(brief);
  const hangs = await serveRaw(() => {});
  const drips = await serve((request, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 200);
    request.socket.once('close', () => clearInterval(drip));
  });
  const dripsHeaders = await serveRaw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const drip = setInterval(() => socket.write('x: y\r\n'), 500);
    socket.once('close', () => clearInterval(drip));
  });
  const began = performance.now();
  const all = await Promise.all([hangs, drips, dripsHeaders].map((url) => send(url, brief)));
  expect(all.map(({ error }) => error)).toEqual(Array(3).fill('no whole answer within 15 seconds'));
  if (process.env.PROVE) expect(performance.now() - began).toBeLessThan(19_000);
});

test('an untrusted certificate, or none at all, is rejected', async () => {
  const port = await listen(createSecureServer({ key: KEY, cert: SELF_SIGNED }, (_, response) => response.end()));
  // Without the system's lookup, which waits for a thread of libuv's pool behind other tests' password hashes.
  const resolve: Resolve = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
  const named = createWebhookClient(sandbox, { resolve });
  expect(await send(`https://localhost:${port}/`, named)).toMatchObject({
    status: null,
    error: expect.stringContaining('its certificate is not accepted'),
  });
  await named.close();
  const plain = await serve((_, response) => response.end());
  expect((await send(plain.replace('http:', 'https:'))).error).toEqual(expect.any(String));
});

test('a refused connection is described in words', async () => {
  expect((await send('http://127.0.0.1:9/')).error).toBe('the connection was refused');
});

test('a proxy of the environment is not used', async () => {
  let requests = 0;
  const proxy = await serve((_, response) => {
    requests += 1;
    response.end();
  });
  const url = await serve((_, response) => response.end());
  const before = { ...process.env };
  Object.assign(process.env, { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, NODE_USE_ENV_PROXY: '1' });
  const other = createWebhookClient(sandbox);
  expect((await send(url, other)).error).toBeNull();
  process.env = before;
  await other.close();
  expect(requests).toBe(0);
});

/** Resolves names to the given addresses, in turn. */
function resolveTo(...results: string[][]): { resolve: Resolve; lookedUp: string[] } {
  const lookedUp: string[] = [];
  return {
    lookedUp,
    resolve: (name, _, callback) => {
      lookedUp.push(name);
      const addresses = (results.length > 1 ? results.shift() : results[0])!;
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
  };
}

test.each([
  [['127.0.0.1']],
  [['169.254.169.254']],
  [['10.0.0.8']],
  [['::1']],
  [['::ffff:127.0.0.1']],
  [['64:ff9b::a00:1']],
  [['fd00::1']],
  [['0.0.0.0']],
  [['93.184.216.34', '127.0.0.1']],
])('a name that resolves to %j is not connected to', async (addresses) => {
  const { resolve, lookedUp } = resolveTo(addresses);
  const strict = createWebhookClient(production, { resolve });
  const { error, status } = await send('https://hooks.example.com:8443/', strict);
  expect([status, error]).toEqual([null, expect.stringContaining('is not a public address')]);
  expect(lookedUp).toEqual(['hooks.example.com']);
  await strict.close();
});

test('a name that resolves differently the second time is validated again', async () => {
  let requests = 0;
  const port = await listen(
    createServer((_, response) => {
      requests += 1;
      response.writeHead(204, { connection: 'close' }).end();
    }),
  );
  const { resolve, lookedUp } = resolveTo(['127.0.0.1'], ['10.0.0.1']);
  const by = createWebhookClient(sandbox, { resolve });
  const url = `http://rebinds.localhost:${port}/`;
  expect((await send(url, by)).error).toBeNull();
  expect((await send(url, by)).error).toContain('only https leaves this machine');
  expect([requests, lookedUp.length]).toEqual([1, 2]);
  await by.close();
});

test.each([
  'http://127.0.0.1:9/',
  'https://127.0.0.1:9/',
  'https://2130706433:9/',
  'https://[::1]:9/',
  'https://localhost:9/',
])('production makes no connection to %s', async (url) => {
  const strict = createWebhookClient(production, { resolve: resolveTo(['93.184.216.34']).resolve });
  const { error } = await send(url, strict);
  expect(error).not.toContain('connection');
  await strict.close();
});

/** Self-signed for `localhost`, for this test only. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgn8zJdHv2KkQwDxBh
kks+nGO2pOHzgE3y1SOSpR32a0+hRANCAATZvDqcjBQJvkzTh9Xb6uY9Je0N0Ea3
6Pqq9s6CemZBRa0FECGC3t6Hvz1sy5zOTrdqAiqT8hJSztBGKAIhLnXj
-----END PRIVATE KEY-----`;
const SELF_SIGNED = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUcvNn2VWcluNitVhaBzscX+JlKEMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjE0MDMzMFoYDzIxMjYxMDI5
MTQwMzMwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATZvDqcjBQJvkzTh9Xb6uY9Je0N0Ea36Pqq9s6CemZBRa0FECGC3t6H
vz1sy5zOTrdqAiqT8hJSztBGKAIhLnXjo2kwZzAdBgNVHQ4EFgQUiHg4xbgCSJqs
g4XWeetQUGNHjwcwHwYDVR0jBBgwFoAUiHg4xbgCSJqsg4XWeetQUGNHjwcwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIgO6u8+tHb70K9FkSHHxNTd08nykUZW2mRYuaP2C0v+zwCIQDsHZqZdfkv
8evRJyjfU2DSzw9QV4+tl8VOQgSFzyyT5g==
-----END CERTIFICATE-----`;
