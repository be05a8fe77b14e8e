import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { serveHandlers } from '#dev/testing/http-server.ts';
import { ATTEMPT } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import type { Services } from '../core/context.ts';
import { setAllowedOrigins } from '../identity/applications/origins/allowed-origins.ts';
import { createApplication } from '../identity/applications/router.ts';
import { createServices } from '../services.ts';

const OWN = 'https://app.example.test';
const OTHERS = 'https://other.example.test';
const SHARED = 'https://shared.example.test:8443';
const SHELL = 'capacitor://localhost';
const LOCAL = ['http://localhost:5173', 'https://localhost', 'http://127.0.0.1:8080', 'http://[::1]:4321'];
const UNLISTED = [
  'https://unlisted.example.test',
  'null',
  'http://app.example.test',
  'https://app.example.test:8443',
  'https://shared.example.test',
  'https://app.example.test.evil.test',
  'https://evil-app.example.test',
  'https://app.example.test.',
  'https://APP.example.test',
  'https://app.example.test/',
  'https://app.example.test@evil.test',
  'https://localhost.evil.test',
  'http://127.0.0.1.evil.test',
  'ionic://localhost',
  'capacitor://localhost:8100',
  '*',
];

/** The short test run takes three unlisted origins in turn, so that each of them appears with every kind of request. */
const otherOriginsAt = (n: number) =>
  process.env.PROVE ? UNLISTED : UNLISTED.filter((_, at) => Math.floor(at / 3) === n % Math.ceil(UNLISTED.length / 3));

const ONE_SECOND_MS = 1000;
const LONG_ENOUGH_MS = 5 * ONE_SECOND_MS;

type Served = { url: string; stop(): Promise<void> };
type Send = (url: string, origin: string) => Promise<Response>;
let bench: SignInBench;
let own: Awaited<ReturnType<SignInBench['tenant']>>;
let patient: { access_token: string; refresh_token: string };
let applicationToken: string;
let sandbox: Served;
let production: Served;
let otherProcess: Served & { services: Services };

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  own = await bench.tenant();
  const theirs = await bench.tenant();
  patient = await signUp(own.passwordless, '+12025550121');
  applicationToken = await tokenOfApplication();
  await setAllowedOrigins(own.ctx, { origins: [OWN, SHARED, SHELL] });
  await setAllowedOrigins(theirs.ctx, { origins: [OTHERS, SHARED] });
  const { config } = bench.services;
  sandbox = { url: bench.url, stop: async () => {} };
  production = await serveHandlers({ ...bench.services, config: { ...config, environment: 'production' } });
  const services = createServices(config, { clock: bench.clock });
  otherProcess = { ...(await serveHandlers(services)), services };
});
afterAll(async () => {
  await production?.stop();
  await otherProcess?.stop();
  await otherProcess?.services.close();
  await bench?.stop();
});

async function signUp(client_id: string, phone_number: string) {
  await bench.post('/passwordless/sign_up', { client_id, phone_number, attempt: ATTEMPT });
  const { body } = await bench.post('/passwordless/sign_in', { client_id, phone_number });
  const done = await bench.post('/passwordless/complete', {
    challenge: body.challenge,
    code: await bench.codeFor(phone_number),
  });
  return done.body as typeof patient;
}

async function tokenOfApplication(): Promise<string> {
  const admin = asAdmin(bench.services, { id: own.ctx.tenantId });
  const { application, client_secret } = await createApplication(admin, { name: 'Server', scopes: ['patients:read'] });
  const form = { grant_type: 'client_credentials', client_id: application.client_id, client_secret };
  return (await bench.call('POST', '/identity/oauth2/token', undefined, { form })).body.access_token;
}

const get =
  (path: string, token: () => string): Send =>
  (url, origin) =>
    fetch(`${url}${path}`, { headers: { origin, authorization: `Bearer ${token()}` } });
const postJson =
  (path: string, body: () => object, token?: () => string): Send =>
  (url, origin) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token()}` }) },
      body: JSON.stringify(body()),
    });
const postForm =
  (path: string, form: () => Record<string, string>): Send =>
  (url, origin) =>
    fetch(`${url}${path}`, { method: 'POST', headers: { origin }, body: new URLSearchParams(form()) });

let numbers = 130;
/** A number may get only a few texts an hour. */
const nextNumber = () => `+1202555${String(numbers++).padStart(4, '0')}`;
const ofPatient = () => patient.access_token;
/** Requests of one tenant's patients and apps, valid or not; each has a tenant by the time of its response. */
const TENANT_REQUESTS: [string, Send, number][] = [
  ['the patient’s own record', get('/api/v1/patients/me', ofPatient), 200],
  ['an application reading a list', get('/api/v1/patients', () => applicationToken), 200],
  ['a patient who does not exist', get('/api/v1/patients/019f0000-0000-7000-8000-000000000000', ofPatient), 404],
  ['a missing permission', postJson('/api/v1/patients', () => ({ first_name: 'Ada' }), ofPatient), 403],
  ['an invalid body', postJson('/api/v1/appointments', () => ({ nothing: 1 }), ofPatient), 422],
  ['the signed-in user', get('/identity/user', ofPatient), 200],
  ['OpenID user info', get('/identity/userinfo', ofPatient), 200],
  ['an application asking who is signed in', get('/identity/user', () => applicationToken), 403],
  [
    'a sign-in by text message',
    postJson('/identity/passwordless/sign_in', () => ({ client_id: own.passwordless, phone_number: nextNumber() })),
    200,
  ],
  [
    'an invalid refresh token',
    postForm('/identity/oauth2/token', () => ({
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_id: own.passwordless,
    })),
    400,
  ],
  ['a revocation', postForm('/identity/oauth2/revoke', () => ({ token: 'x', client_id: own.passwordless })), 200],
];
/** Errors that occur before the tenant of a request is known. */
const UNAUTHENTICATED_REQUESTS: [string, Send, number][] = [
  ['an invalid token', get('/api/v1/patients/me', () => 'nonsense'), 401],
  ['no token', (url, origin) => fetch(`${url}/api/v1/patients/me`, { headers: { origin } }), 401],
  ['an unknown address', get('/api/v1/nothing', ofPatient), 404],
  ['an invalid token, at the auth server', get('/identity/user', () => 'nonsense'), 401],
  [
    'an unknown app',
    postJson('/identity/passwordless/sign_in', () => ({ client_id: 'x', phone_number: '+12025550122' })),
    401,
  ],
  ['a body that is not a form', postJson('/identity/oauth2/token', () => ({})), 400],
];

const readerOf = ({ headers }: Response) => headers.get('access-control-allow-origin');

async function expectReadable(send: Send, url: string, readable: string[], not: string[]) {
  for (const origin of [...readable, ...not]) {
    const response = await send(url, origin);
    const actual = { origin, reader: readerOf(response), vary: response.headers.get('vary') };
    expect(actual).toEqual({ origin, reader: readable.includes(origin) ? origin : null, vary: 'Origin' });
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
    expect(response.headers.has('access-control-expose-headers')).toBe(readable.includes(origin));
  }
}

describe.each(['sandbox', 'production'])('a website in %s', (environment) => {
  const served = () => (environment === 'sandbox' ? sandbox : production).url;
  const otherOrigins = (n: number) => otherOriginsAt(environment === 'sandbox' ? n : n + 2);
  const [local, denied] = environment === 'sandbox' ? [LOCAL, []] : [[], LOCAL];

  test.each(TENANT_REQUESTS)('may read the response for %s if the tenant lists it', async (what, send, status) => {
    expect((await send(served(), OWN)).status).toBe(status);
    const not = [OTHERS, ...otherOrigins(TENANT_REQUESTS.findIndex(([name]) => name === what)), ...denied];
    await expectReadable(send, served(), [OWN, SHARED, SHELL, ...local], not);
  });

  test.each(UNAUTHENTICATED_REQUESTS)(
    'may read the error for %s if any tenant lists it',
    async (what, send, status) => {
      expect((await send(served(), OWN)).status).toBe(status);
      const not = [...otherOrigins(UNAUTHENTICATED_REQUESTS.findIndex(([name]) => name === what)), ...denied];
      await expectReadable(send, served(), [OWN, OTHERS, SHARED, SHELL, ...local], not);
    },
  );

  const PREFLIGHTS = ['/api/v1/patients', '/api/v1/nothing', '/identity/oauth2/token', '/identity/user'];
  test.each(PREFLIGHTS)(
    'may preflight %s if any tenant lists it, because a preflight names no tenant',
    async (path) => {
      const preflight: Send = (url, origin) =>
        fetch(`${url}${path}`, {
          method: 'OPTIONS',
          headers: {
            origin,
            'access-control-request-method': 'PATCH',
            'access-control-request-headers': 'authorization',
          },
        });
      const not = [...otherOrigins(PREFLIGHTS.indexOf(path)), ...denied];
      await expectReadable(preflight, served(), [OWN, OTHERS, SHARED, SHELL, ...local], not);
      const [let_in, kept_out] = await Promise.all([preflight(served(), OWN), preflight(served(), UNLISTED[0]!)]);
      expect([let_in.status, kept_out.status]).toEqual([204, 204]);
      expect(let_in.headers.get('access-control-allow-methods')).toContain('PATCH');
      expect(let_in.headers.get('access-control-allow-headers')).toMatch(/authorization.*idempotency-key/i);
      expect(Number(let_in.headers.get('access-control-max-age'))).toBeGreaterThan(0);
      for (const name of ['methods', 'headers', 'private-network'])
        expect(kept_out.headers.has(`access-control-allow-${name}`)).toBe(false);
    },
  );

  test.each(['/identity/jwks.json', '/.well-known/oauth-authorization-server/identity'])(
    'may read %s from any origin',
    async (path) => {
      for (const origin of [OWN, ...UNLISTED])
        expect(readerOf(await fetch(`${served()}${path}`, { headers: { origin } }))).toBe('*');
    },
  );

  test('gets Vary: Origin even without an Origin header', async () => {
    for (const path of ['/api/v1/patients', '/api/v1/openapi.json', '/identity/user']) {
      const { headers } = await fetch(`${served()}${path}`);
      expect([headers.get('vary'), headers.get('access-control-allow-origin')]).toEqual(['Origin', null]);
    }
  });
});

describe('a change of the allowed origins', () => {
  const ADDED = 'https://fresh.example.test';
  const me = get('/api/v1/patients/me', ofPatient);
  const isReader = async (url: string) => readerOf(await me(url, ADDED)) === ADDED;

  test('applies at once in this process and within a second in another', async () => {
    for (const origins of [
      [OWN, SHARED, ADDED],
      [OWN, SHARED],
    ]) {
      const listed = origins.includes(ADDED);
      expect([await isReader(bench.url), await isReader(otherProcess.url)]).toEqual([!listed, !listed]);
      await setAllowedOrigins(own.ctx, { origins });
      const changedAt = performance.now();
      expect(await isReader(bench.url)).toBe(listed);
      let lastStaleAt = changedAt;
      while (lastStaleAt - changedAt < LONG_ENOUGH_MS) {
        const requestedAt = performance.now();
        if ((await isReader(otherProcess.url)) === listed) break;
        lastStaleAt = requestedAt;
        await pause(20);
      }
      expect(lastStaleAt - changedAt).toBeLessThanOrEqual(ONE_SECOND_MS);
    }
  });

  test('is looked up once a second for any number of requests', async () => {
    const { database, config } = bench.services;
    const lookedUp: string[] = [];
    const counting = {
      ...database,
      tenantsOf: (key: string) => {
        lookedUp.push(key);
        return database.tenantsOf(key);
      },
    };
    const server = await serveHandlers({ ...bench.services, config, database: counting });
    const startedAt = performance.now();
    for (let round = 0; round < (process.env.PROVE ? 20 : 5); round += 1)
      await Promise.all(Array.from({ length: 10 }, () => get('/api/v1/nothing', ofPatient)(server.url, OWN)));
    const seconds = Math.ceil((performance.now() - startedAt) / 1000);
    expect(lookedUp.length).toBeLessThanOrEqual(seconds);
    expect(new Set(lookedUp)).toEqual(new Set([`origin:${OWN}`]));
    for (const origin of ['null', '*', `https://${'a'.repeat(400)}.test`, "https://app.example.test'--", 'file://'])
      await get('/api/v1/nothing', ofPatient)(server.url, origin);
    expect(lookedUp.filter((key) => key !== `origin:${OWN}`)).toEqual([]);
    await server.stop();
  });
});
