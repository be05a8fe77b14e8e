import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { ENDPOINT_ROWS } from '../testing/endpoint-rows.ts';
import type { Group } from './attack.ts';
import { assertHolds } from './helpers.ts';
import type { Reply, RequestInput, Source } from './source.ts';
import type { AttackTarget } from './target.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
/** Sign-in pages and other public pages. */
const PAGES = [
  '/sign-in',
  '/forgot-password',
  '/join',
  '/reset-password',
  '/invitation',
  '/undo',
  '/new-devices',
  '/docs',
  '/docs/conventions',
  '/docs/api/patients',
];
const PAYING_PAGES = ['/checkout', '/manage', '/playground'];
const PORTAL = ['/', '/patients', '/appointments', '/subscriptions', '/inbox', '/settings/team', '/settings/account'];

/** Asserts the headers that every response must have. */
function assertHeaders(what: string, { headers, status }: Reply): void {
  const wanted: [string, RegExp][] = [
    ['x-content-type-options', /^nosniff$/],
    ['x-frame-options', /^DENY$/],
    ['referrer-policy', /^(strict-origin-when-cross-origin|no-referrer)$/],
    ['permissions-policy', /camera=/],
    ['content-security-policy', /frame-ancestors 'none'/],
    ['cache-control', /\S/],
  ];
  for (const [name, value] of wanted)
    assertHolds(value.test(headers.get(name) ?? ''), `${what} (${status}): ${name}: ${headers.get(name)}`);
  assertHolds(!headers.has('x-powered-by') && !headers.has('server'), `${what} names what it runs on`);
}
function assertNotCacheable(what: string, response: Reply): void {
  assertHeaders(what, response);
  const cacheControl = response.headers.get('cache-control') ?? '';
  assertHolds(/no-store/.test(cacheControl), `${what}: cache-control: ${cacheControl}`);
}

/** Sends raw bytes, which an HTTP client would normalise. @returns the response's status */
function sendRaw(target: AttackTarget, lines: string[]): Promise<number> {
  const { port } = new URL(target.portal);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: target.newSource().ip });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.setTimeout(10_000, () => socket.destroy(new Error('not answered')));
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)));
    socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  });
}

function signStripe({ secrets }: AttackTarget, body: string, aheadSeconds: number): RequestInput {
  const at = Math.floor(Date.now() / 1000) + aheadSeconds;
  const signature = createHmac('sha256', secrets.stripeWebhookSecret).update(`${at}.${body}`).digest('hex');
  return { body, headers: { ...JSON_TYPE, 'stripe-signature': `t=${at},v1=${signature}` } };
}

/** A request for one endpoint, from any client. */
type EndpointRequest = [what: string, method: string, path: string, input?: RequestInput];
async function assertEach(
  target: AttackTarget,
  requests: EndpointRequest[],
  expected: (reply: Reply) => boolean,
): Promise<void> {
  const source: Source = target.newSource();
  for (const [what, method, path, input] of requests) {
    const response = await source.send(method, target.portal + path, input);
    assertHolds(expected(response), `${what}: ${response.status} ${response.text.slice(0, 120)}`);
  }
}
const isClientError = ({ status }: Reply) => status >= 400 && status < 500;
const isNotServerError = ({ status }: Reply) => status < 500;

/**
 * Malformed requests to all endpoints. Production settings (HSTS, `sslmode`, STARTTLS) are tested in
 * `core/config.test.ts`, `http/server.db.test.ts` and `providers/mail.test.ts`, which also covers the mailer's
 * addresses; every field of every endpoint and the memory use in `src/dev/testing/error-responses.db.test.ts`.
 */
export const ENDPOINTS: Group = {
  title: 'a client sends malformed requests to all endpoints',
  attacks: [
    {
      name: 'sends more than 64 KiB without authentication',
      run(target) {
        const token = 'x'.repeat(66_000);
        const small = ['/identity/credentials/sign_up', '/api/links/staffLinks.open', '/api/auth/signout'];
        const requests = [
          ...small.map((path): EndpointRequest => [path, 'POST', path, { json: { token } }]),
          ...['/identity/oauth2/token', '/api/auth/signout'].map(
            (path): EndpointRequest => [`a form to ${path}`, 'POST', path, { form: { token } }],
          ),
        ];
        return assertEach(target, requests, ({ status }) => status === 413);
      },
    },
    {
      name: 'finds a response without security headers, or cacheable with personal data',
      async run(target) {
        const source = target.newSource();
        const { cookie } = target.clinic.admin;
        const { accessToken } = await target.clinic.people.byPhone(target.newNumber());
        for (const path of [...PAGES, ...PAYING_PAGES]) {
          const response = await source.send('GET', target.portal + path);
          assertNotCacheable(`GET ${path}`, response);
          const policy = response.headers.get('content-security-policy') ?? '';
          const rules = policy.split('; ').filter((rule) => !rule.startsWith('style-src-attr'));
          assertHolds(!/unsafe-(inline|eval)/.test(rules.join()), `GET ${path}: ${policy}`);
          assertHolds(PAYING_PAGES.includes(path) || !policy.includes('unsafe'), `GET ${path}: ${policy}`);
        }
        for (const path of PORTAL)
          assertNotCacheable(`GET ${path}`, await source.send('GET', target.portal + path, { cookie }));
        for (const { name, method, path } of ENDPOINT_ROWS) {
          const address = target.portal + path.replace('{tenant}', target.clinic.tenantId);
          const response = await target.newSource().send(method, address, method === 'GET' ? {} : { json: {} });
          // Keys and metadata are public.
          const isPublic = /jwks|well-known/.test(path);
          if (isPublic) assertHeaders(name, response);
          else assertNotCacheable(name, response);
        }
        for (const path of ['/patients/me', '/patients/nothing', '/nothing', '/subscription_plans'])
          assertNotCacheable(path, await source.send('GET', target.card.base_url + path, { token: accessToken }));
        for (const path of ['/nothing', '/.env', '/_next/static/nothing.js', '/_next/image?url=%2Ficon.svg&w=64&q=75'])
          assertHeaders(path, await source.send('GET', target.portal + path));
      },
    },
    {
      name: "calls Acuity's webhook with the tenant id in capitals",
      async run(target) {
        const path = `/api/webhooks/acuity/${target.clinic.tenantId.toUpperCase()}`;
        await assertEach(target, [[path, 'POST', path, { body: 'action=changed&id=1' }]], isClientError);
      },
    },
    {
      name: 'sends next-auth an invalid callback URL, body, cookie and action',
      run: (target) =>
        assertEach(
          target,
          [
            ...['%', 'http%3A%2F%2F%5B', 'javascript%3Aalert(1)', '%00', 'x'.repeat(5000)].map(
              (address): EndpointRequest => [
                `callbackUrl=${address}`,
                'GET',
                `/api/auth/signin?callbackUrl=${address}`,
              ],
            ),
            ...['{', 'null', '[]', '"text"', '{"csrfToken":{}}', '\u0000'].map(
              (body): EndpointRequest => [body, 'POST', '/api/auth/callback/credentials', { body, headers: JSON_TYPE }],
            ),
            ['a form', 'POST', '/api/auth/callback/credentials', { form: { callbackUrl: 'http://[' } }],
            [
              'a cookie',
              'GET',
              '/api/auth/session',
              { cookie: 'next-auth.callback-url=%; next-auth.session-token=%E0' },
            ],
            ['an unknown action', 'GET', '/api/auth/nothing'],
            ['another', 'POST', '/api/auth/callback/nothing', { form: {} }],
            ['none', 'GET', '/api/auth/'],
          ],
          isNotServerError,
        ),
    },
    {
      name: 'writes lines into the log',
      run: (target) =>
        assertEach(
          target,
          [['/api/auth/_log', 'POST', '/api/auth/_log', { form: { code: 'forged', level: 'error', message: 'line' } }]],
          ({ status }) => status === 404,
        ),
    },
    {
      name: 'sends a Stripe event with a future or old timestamp, or unsigned',
      async run(target) {
        const body = JSON.stringify({
          id: `evt_${Date.now()}`,
          object: 'event',
          type: 'customer.subscription.updated',
          account: 'acct_nobody',
          livemode: false,
          data: { object: { id: 'sub_nothing', object: 'subscription' } },
        });
        const path = '/api/webhooks/stripe';
        for (const ahead of [600, 330, -600])
          await assertEach(target, [[`${ahead} s`, 'POST', path, signStripe(target, body, ahead)]], isClientError);
        await assertEach(target, [['unsigned', 'POST', path, { body, headers: JSON_TYPE }]], isClientError);
        // A valid event must be accepted, or the rejections prove nothing.
        const now = await target.newSource().send('POST', target.portal + path, signStripe(target, body, 0));
        assertHolds(now.status === 200, `one of now is rejected: ${now.text}`);
      },
    },
    {
      name: 'sends two Host headers, an invalid host, and a target with another host',
      async run(target) {
        const { host } = new URL(target.portal);
        const requests = [
          ['GET /api/health HTTP/1.1', `Host: ${host}`, 'Host: evil.example.test'],
          ['GET /sign-in HTTP/1.1', 'Host: evil.example.test', `Host: ${host}`],
          ['GET /sign-in HTTP/1.1', 'Host: a b'],
          ['GET http://evil.example.test/sign-in HTTP/1.1', `Host: ${host}`],
          ['GET /sign-in HTTP/1.1', `Host: ${host}`, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
        ];
        for (const lines of requests) {
          const status = await sendRaw(target, lines);
          assertHolds(status >= 400 && status < 500, `${lines.join(' | ')}: ${status}`);
        }
      },
    },
  ],
};
