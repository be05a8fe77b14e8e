import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { serveHandlers } from '#dev/testing/http-server.ts';
import { type Services, systemContext } from '../core/context.ts';
import { createLog } from '../core/log.ts';
import { createStaffUser } from '../identity/staff/create-staff-user.ts';

const EMAIL = 'ada@example.test';
const PASSWORD = 'correct horse battery';
const FORM = 'application/x-www-form-urlencoded';

let clinic: Clinic;
let services: Services;
let server: { url: string; stop(): Promise<void> };
const logged: string[] = [];
beforeAll(async () => {
  const log = createLog('debug', { write: (line) => void logged.push(line) });
  clinic = await withClinic({ overrides: { log } });
  ({ services } = clinic);
  const { id } = clinic.tenant;
  const ctx = systemContext(services, id, 'test');
  await createStaffUser(ctx, { email: EMAIL, name: 'Ada Example', role: 'admin', password: PASSWORD });
  server = await serveHandlers(services);
});
afterAll(async () => {
  await server?.stop();
  await clinic?.stop();
});

const send = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/api/auth/${path}`, { redirect: 'manual', ...init });
const codeOf = async (response: Response) =>
  ((await response.json()) as { errors: { code: string }[] }).errors[0]!.code;

async function begin(): Promise<{ csrfToken: string; cookie: string }> {
  const response = await send('csrf');
  const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0]);
  return { ...((await response.json()) as { csrfToken: string }), cookie: cookie.join('; ') };
}
async function signIn(more: Record<string, string>, headers: Record<string, string> = {}) {
  const { csrfToken, cookie } = await begin();
  return send('callback/credentials', {
    method: 'POST',
    headers: { 'content-type': FORM, ...headers, cookie: [cookie, headers.cookie].filter(Boolean).join('; ') },
    body: new URLSearchParams({ email: EMAIL, password: PASSWORD, csrfToken, json: 'true', ...more }).toString(),
  });
}
const hasSession = (response: Response) =>
  response.headers.getSetCookie().some((line) => line.startsWith('next-auth.session-token='));

const BROKEN = [
  'http://[',
  'x',
  'patients',
  '%',
  'javascript:alert(1)',
  'http://',
  '//',
  'ftp://a.example.test',
  '\u0000',
];

describe('staff sign-in over HTTP', () => {
  test('accepts a form or JSON and redirects to the callback URL', async () => {
    const byForm = await signIn({ callbackUrl: '/patients' });
    expect([byForm.status, hasSession(byForm)]).toEqual([200, true]);
    expect(((await byForm.json()) as { url: string }).url).toBe(`${services.config.publicUrl}/patients`);
    const { csrfToken, cookie } = await begin();
    const byJson = await send('callback/credentials', {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ email: EMAIL, password: PASSWORD, csrfToken, json: 'true' }),
    });
    expect([byJson.status, hasSession(byJson)]).toEqual([200, true]);
  });

  test.each(BROKEN)('redirects to a page of this origin for the callback URL "%s"', async (callbackUrl) => {
    const { publicUrl } = services.config;
    const responses = [
      await signIn({ callbackUrl }),
      await signIn({}, { cookie: `next-auth.callback-url=${encodeURIComponent(callbackUrl)}` }),
    ];
    for (const response of responses) {
      expect([response.status, hasSession(response)]).toEqual([200, true]);
      expect(new URL(((await response.json()) as { url: string }).url).origin).toBe(new URL(publicUrl).origin);
    }
    for (const path of ['signin', 'csrf', 'session', 'providers', 'error'])
      expect((await send(`${path}?callbackUrl=${encodeURIComponent(callbackUrl)}`)).status, path).toBeLessThan(400);
  });

  test('rejects invalid bodies with the contract’s errors', async () => {
    const post = (body: string, type: string) =>
      send('callback/credentials', { method: 'POST', headers: { 'content-type': type }, body });
    const cases: [string, string, number, string][] = [
      ['{bad', 'application/json', 400, 'malformed_json'],
      ['[]', 'application/json', 400, 'malformed_request'],
      ['null', 'application/json', 400, 'malformed_request'],
      ['{"email":{"a":1}}', 'application/json', 400, 'malformed_request'],
      ['{"callbackUrl":["/"]}', 'application/json', 400, 'malformed_request'],
      ['email=a', 'text/plain', 415, 'unsupported_media_type'],
      ['email=a', `${FORM}; charset=latin1`, 415, 'unsupported_media_type'],
      [`email=${'x'.repeat(5000)}`, FORM, 400, 'malformed_request'],
      [`email=${'x'.repeat(70_000)}`, FORM, 413, 'body_too_large'],
    ];
    for (const [body, type, status, code] of cases) {
      const response = await post(body, type);
      expect([body.slice(0, 30), response.status, await codeOf(response)]).toEqual([body.slice(0, 30), status, code]);
    }
  });

  test('returns 404 for unknown actions and 405 for other methods', async () => {
    for (const name of [
      'nothing',
      'callback',
      'callback/github',
      'signin/credentials',
      'verify-request',
      'constructor',
      '',
    ])
      for (const method of ['GET', 'POST']) expect([name, (await send(name, { method })).status]).toEqual([name, 404]);
    for (const [name, method] of [
      ['session', 'POST'],
      ['signout', 'GET'],
      ['callback/credentials', 'GET'],
    ] as const) {
      const response = await send(name, { method });
      expect([name, response.status, response.headers.has('allow')]).toEqual([name, 405, true]);
    }
  });

  test('writes no text of an unauthenticated client to the log', async () => {
    const before = logged.length;
    for (const body of [
      { level: 'error', code: 'PLANTED_LINE', message: 'planted' },
      { level: 'warn', code: 'PLANTED_LINE' },
      { level: 'constructor', code: 'PLANTED_LINE' },
    ]) {
      const headers = { 'content-type': FORM };
      expect((await send('_log', { method: 'POST', headers, body: new URLSearchParams(body as never) })).status).toBe(
        404,
      );
    }
    expect((await send('csrf?nextauth=_log&nextauth=error')).status).toBe(200);
    expect(logged.slice(before).join('')).not.toContain('PLANTED');
  });

  test('puts no text of an unauthenticated client into a redirect', async () => {
    for (const error of ['a\r\nSet-Cookie: b=1', '<script>', 'x'.repeat(500), '../../elsewhere'])
      for (const path of ['error', 'signin']) {
        const response = await send(`${path}?error=${encodeURIComponent(error)}`);
        expect([path, response.status]).toEqual([path, 302]);
        const location = response.headers.get('location')!;
        expect(location).not.toMatch(/script|xxx|elsewhere|Set-Cookie/);
      }
  });
});
