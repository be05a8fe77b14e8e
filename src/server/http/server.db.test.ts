import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { serveHandlers } from '#dev/testing/http-server.ts';
import { testServices } from '#dev/testing/services.ts';
import type { Services } from '../core/context.ts';

let clinic: Clinic;
let services: Services;
let server: { url: string; stop(): Promise<void> };
beforeAll(async () => {
  clinic = await withClinic({
    env: {
      CARELANE_ENV: 'production',
      DATABASE_TLS: 'off',
      PUBLIC_URL: 'https://care.example.test',
      STRIPE_SECRET_KEY: 'sk_live_x',
      STRIPE_PUBLISHABLE_KEY: 'pk_live_x',
      STRIPE_API_URL: '',
      ACUITY_API_URL: '',
    },
  });
  ({ services } = clinic);
  server = await serveHandlers(services);
});
afterAll(async () => {
  await server?.stop();
  await clinic?.stop();
});

type RawResponse = { status: number; headers: Record<string, string>; text: string };

/** Sends the bytes unchanged and reads the response until the server closes the connection. */
function send(bytes: string): Promise<RawResponse> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(10_000, () => socket.destroy(new Error('no end of the answer')));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => {
      socket.destroy();
      const [head = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n');
      const [line = '', ...lines] = head.split('\r\n');
      const headers = lines.map((one): [string, string] => {
        const [name = '', value = ''] = one.split(/: ?(.*)/s);
        return [name.toLowerCase(), value];
      });
      const status = Number(line.split(' ')[1]);
      resolve({ status, headers: Object.fromEntries(headers), text: rest.join('\r\n\r\n') });
    });
  });
}
const get = (path: string, ...lines: string[]) =>
  send([`GET ${path} HTTP/1.1`, 'Connection: close', ...lines, '', ''].join('\r\n'));
const post = (path: string, lines: string[], body = '') =>
  send([`POST ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines, '', body].join('\r\n'));

const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'permissions-policy': expect.stringContaining('geolocation=()'),
  'referrer-policy': 'strict-origin-when-cross-origin',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** A success, an error and an unknown path of every route. */
const ADDRESSES = [
  'GET /api/health',
  'GET /api/v1/patients',
  'GET /api/v1/openapi.json',
  'GET /api/v1/docs',
  'GET /api/v1/unknown',
  'PUT /api/v1/patients',
  'OPTIONS /api/v1/patients',
  'HEAD /api/v1/patients',
  'GET /identity/jwks.json',
  'GET /.well-known/oauth-authorization-server/identity',
  'GET /identity/user',
  'GET /identity/unknown',
  'OPTIONS /identity/user',
  'POST /identity/oauth2/token',
  'POST /identity/credentials/sign_up',
  'GET /api/trpc/session.me',
  'POST /api/trpc/patients.list',
  'PUT /api/trpc/session.me',
  'HEAD /api/trpc/session.me',
  'GET /api/trpc/nothing.here',
  'GET /api/auth/csrf',
  'GET /api/auth/session',
  'GET /api/auth/signin',
  'GET /api/auth/_log',
  'POST /api/auth/_log',
  'POST /api/webhooks/stripe',
  'POST /api/webhooks/acuity/unknown',
  'GET /api/webhooks/stripe',
  'POST /api/links/checkout.open',
  'GET /api/links/checkout.open',
  'POST /api/links/nothing',
  'GET /api/nothing',
  'GET /api/v1',
  'GET /no-such-page',
  'PUT /no-such-page',
  'GET /%zz',
  'TRACE /',
];
/** Only responses that are the same for all callers are cacheable, and only for a short time. */
const CACHEABLE = ['/api/v1/openapi.json', '/identity/jwks.json', '/.well-known/oauth-authorization-server/identity'];

describe('every response', () => {
  test.each(ADDRESSES)('for %s has the security headers and a cache policy', async (address) => {
    const [method = '', path = ''] = address.split(' ');
    const { status, headers } = await send(
      [`${method} ${path} HTTP/1.1`, 'Host: a', 'Connection: close', 'Content-Length: 0', '', ''].join('\r\n'),
    );
    expect(status).toBeLessThan(500);
    expect(headers).toMatchObject(HEADERS);
    expect(headers['cache-control']).toMatch(CACHEABLE.includes(path) ? /^public, max-age=300$/ : /(^|, )no-store$/);
    expect(headers).not.toHaveProperty('x-powered-by');
    if (/^\/(api|identity|\.well-known)\//.test(path) && path !== '/api/health')
      expect(headers['request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('to malformed HTTP has the same headers', async () => {
    const unreadable: [string, number][] = [
      ['nonsense\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nHost: a\r\nBad Header: 1\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      ['GET / HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n', 417],
    ];
    for (const [bytes, expected] of unreadable) {
      const { status, headers } = await send(bytes);
      expect([bytes.slice(0, 60), status]).toEqual([bytes.slice(0, 60), expected]);
      expect(headers).toMatchObject({ ...HEADERS, 'cache-control': 'no-store' });
    }
  });

  test('has Strict-Transport-Security only in production', async () => {
    const sandbox = testServices(clinic.database);
    const served = await serveHandlers(sandbox);
    const { headers } = await fetch(`${served.url}/api/health`);
    expect(headers.get('strict-transport-security')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    await served.stop();
    await sandbox.close();
  });
});

describe('an ambiguous request', () => {
  test.each([
    ['two hosts', ['Host: care.example.test', 'Host: elsewhere.example.test']],
    ['the same host twice', ['Host: care.example.test', 'Host: care.example.test']],
    ['a list of hosts', ['Host: care.example.test, elsewhere.example.test']],
    ['a user in the host', ['Host: care.example.test@elsewhere.example.test']],
    ['a path in the host', ['Host: care.example.test/elsewhere']],
    ['an empty host', ['Host:']],
    ['no host', []],
  ])('with %s is rejected by routes and pages', async (_what, lines) => {
    for (const path of ['/api/health', '/api/v1/patients', '/sign-in'])
      expect((await get(path, ...lines)).status, path).toBe(400);
  });

  test('whose target names another host than the Host header is rejected', async () => {
    expect((await get('http://elsewhere.example.test/api/health', 'Host: care.example.test')).status).toBe(400);
    expect((await get('http://a@care.example.test/api/health', 'Host: care.example.test')).status).toBe(400);
    expect((await get('http://Care.example.test/api/health', 'Host: care.example.test')).status).toBe(200);
  });

  test('with two lengths, or a length and chunks, is rejected', async () => {
    const json = 'Content-Type: application/json';
    for (const lines of [
      ['Content-Length: 2', 'Content-Length: 3'],
      ['Content-Length: 2, 3'],
      ['Content-Length: 2', 'Transfer-Encoding: chunked'],
      ['Transfer-Encoding: chunked', 'Content-Length: 2'],
      ['Transfer-Encoding: chunked, identity'],
      ['Transfer-Encoding: xchunked'],
      ['Content-Length: +2'],
      ['Content-Length: -1'],
      ['Content-Length : 2'],
      ['X: 1', ' folded: 2', 'Content-Length: 2'],
    ])
      expect([lines, (await post('/api/links/checkout.open', [json, ...lines], '{}')).status]).toEqual([lines, 400]);
  });

  test.each(['care.example.test', 'care.example.test:8443', '127.0.0.1:3000', '[::1]:3000', 'localhost'])(
    'does not include the host %s',
    async (host) => {
      expect((await get('/api/health', `Host: ${host}`)).status).toBe(200);
    },
  );

  test('does not include HTTP/1.0 without a host, as load balancers check health', async () => {
    expect((await send('GET /api/health HTTP/1.0\r\n\r\n')).status).toBe(200);
  });
});

test('a request to upgrade the protocol gets the normal response of its route', async () => {
  const { status, headers } = await get('/api/v1/patients', 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket');
  expect([status, headers['content-type']]).toEqual([401, 'application/json; charset=utf-8']);
});

test('an old visit link redirects to the form with the token in the fragment; its sibling pages do not', async () => {
  const token = `${'a'.repeat(22)}.${'b'.repeat(32)}`;
  const former = await get(`/visit/${token}`, 'Host: a');
  expect([former.status, former.headers.location]).toEqual([303, `/visit#${token}`]);
  for (const page of ['/visit', '/visit/test', '/visit/privacy']) {
    const { status, headers } = await get(page, 'Host: a');
    expect([page, status, headers.location]).toEqual([page, 404, undefined]);
  }
});
