import { decode, encode } from 'next-auth/jwt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { fixedClock } from '#dev/testing/fixed-clock.ts';
import { testServices } from '#dev/testing/services.ts';
import { sendAuthRequest, signInToPortal, signOutOfPortal } from '#dev/testing/staff-sign-in.ts';
import { NO_TENANT } from '#server/core/ids.ts';
import { HOUR, MINUTE, SECOND } from '../core/clock.ts';
import { type Services, systemContext } from '../core/context.ts';
import { assertRateLimit } from '../core/rate-limiter.ts';
import { createStaffUser } from '../identity/staff/create-staff-user.ts';
import { portalContext, staffPerson } from '../identity/staff/lockout/portal-context.ts';
import { staffActor } from '../identity/staff/staff-actor.ts';
import { failureKeys } from '../identity/verification/failures.ts';
import { readStaffSession, staffSessionOptions } from './staff-session.ts';

const PASSWORD = 'correct horse battery';
const COOKIE = 'next-auth.session-token';

describe('staff sessions', () => {
  let clinic: Clinic;
  let services: Services;
  let tenant: { id: string };
  let user: { id: string };

  beforeAll(async () => {
    clinic = await withClinic({ overrides: { clock: fixedClock() } });
    ({ services, tenant } = clinic);
    user = await createStaffUser(systemContext(services, tenant.id, 'test'), {
      email: 'ada@example.test',
      name: 'Ada Example',
      role: 'admin',
      password: PASSWORD,
    });
  });
  afterAll(() => clinic?.stop());

  const signIn = async (by = services) => {
    const signedIn = await signInToPortal(by, { email: 'ada@example.test', password: PASSWORD });
    if ('error' in signedIn) throw new Error(`refused: ${signedIn.error}`);
    return signedIn;
  };
  const readSession = (cookie: string, by: Services, headers: Record<string, string>) =>
    readStaffSession(by, new Request('http://127.0.0.1/api/trpc', { headers: { cookie, ...headers } }));
  const read = (cookie: string, by = services) => readSession(cookie, by, {});
  const act = (cookie: string, by = services) => readSession(cookie, by, { 'x-carelane-act': '1' });
  const begin = async () => {
    const { body, setCookie } = await sendAuthRequest(services, { method: 'GET', path: ['csrf'] });
    return { body, cookie: setCookie.map((line) => line.split(';')[0]).join('; ') };
  };
  const later = (ms: number): Services => ({ ...services, clock: { now: () => new Date(Date.now() + ms) } });

  test('begin with the right password, in an HttpOnly cookie', async () => {
    const { cookie, setCookie } = await signIn();
    const session = { userId: user.id, tenantId: tenant.id, sessionId: expect.any(String) };
    expect(await read(`other=1; ${cookie}`)).toEqual({ ...session, endsInS: expect.any(Number), renewed: null });
    expect(setCookie[0]).toMatch(/HttpOnly/);
    expect(setCookie[0]).toMatch(/SameSite=Lax/);
    expect(cookie).not.toContain(user.id);
  });

  test('use host-only cookies over https and ignore cookies of other names', async () => {
    const secure = { ...services, config: { ...services.config, publicUrl: 'https://clinic.example.test' } };
    const { setCookie, cookie } = await signIn(secure);
    expect(setCookie[0]).toMatch(/^__Host-.*; Secure/);
    expect(setCookie[0]).toContain('; Path=/;');
    expect(setCookie[0]).not.toContain('Domain=');
    expect(await read(cookie, secure)).not.toBeNull();
    for (const prefix of ['', '__Secure-']) expect(await read(cookie.replace('__Host-', prefix), secure)).toBeNull();
    const active = { ...secure, clock: { now: () => new Date(secure.clock.now().getTime() + 2 * MINUTE) } };
    expect((await act(cookie, active))?.renewed).toMatch(/^__Host-.*; Path=\/;.*; Secure$/);
  });

  describe('register the browser as a known device', () => {
    const DEVICE = /^carelane-devices=([\w.-]+); Path=\/; Max-Age=7776000; HttpOnly; SameSite=Strict$/;
    const wrong = (n: number, cookie = '') =>
      signInToPortal(services, { email: 'ada@example.test', password: 'wrong', source: `203.0.113.${n}`, cookie });
    const right = (cookie: string, source: string) =>
      signInToPortal(services, { email: 'ada@example.test', password: PASSWORD, source, cookie });

    test('by an HttpOnly cookie that outlives sign-out and is extended by each sign-in', async () => {
      const { device, cookie } = await signIn();
      expect(device).toMatch(DEVICE);
      const deviceCookie = device.split(';')[0]!;
      const out = await signOutOfPortal(services, `${cookie}; ${deviceCookie}`);
      expect(out.setCookie.filter((line) => line.startsWith('carelane-devices'))).toEqual([]);
      expect(await right(deviceCookie, '192.0.2.9')).toMatchObject({ device });
      expect(await wrong(1, deviceCookie)).toEqual({ error: 'CredentialsSignin' });
    });

    test('by a cookie that is bound to the host over https', async () => {
      const secure = { ...services, config: { ...services.config, publicUrl: 'https://clinic.example.test' } };
      const { device } = await signIn(secure);
      expect(device).toMatch(/^__Host-carelane-devices=[\w.-]+; Path=\/; .*; HttpOnly; SameSite=Strict; Secure$/);
    });

    test('of that account only; a shared workstation stores several devices', async () => {
      const { device } = await signIn();
      const deviceCookie = device.split(';')[0]!;
      await createStaffUser(systemContext(services, tenant.id, 'test'), {
        email: 'bo@example.test',
        name: 'Bo Example',
        role: 'practitioner',
        password: PASSWORD,
      });
      const otherUser = await signInToPortal(services, {
        email: 'bo@example.test',
        password: PASSWORD,
        cookie: deviceCookie,
      });
      if ('error' in otherUser) throw new Error('refused');
      const both = otherUser.device.split(';')[0]!;
      expect(both.split('~')).toHaveLength(2);
      expect(both.endsWith(deviceCookie.split('=')[1]!)).toBe(true);
      const rows = await services.database.forTenant(tenant.id).knownDevice.findMany();
      expect(rows.every(({ staffUserId, patientId }) => staffUserId !== null && patientId === null)).toBe(true);
      expect(JSON.stringify(rows)).not.toContain(deviceCookie.split('=')[1]!.split('.')[1]);
    });

    test('that signs in during a lockout of unknown devices, which the page explains', async () => {
      const { device } = await signIn();
      const deviceCookie = device.split(';')[0]!;
      // The short test run inserts most of the failures directly.
      const before = process.env.PROVE ? 0 : 95;
      const portal = portalContext(services);
      const { unknownDevicesInRow: key } = failureKeys(portal, staffPerson(portal, 'ada@example.test'), {
        ip: '',
        device: null,
      });
      const row = { tenantId: portal.tenantId, key };
      const values = { failures: before, failedAt: services.clock.now(), inRow: true };
      if (before)
        await portal.db.signInFailure.upsert({
          where: { tenantId_key: row },
          create: { ...row, ...values },
          update: values,
        });
      for (let n = before; n < 100; n += 1) expect(await wrong(n)).toEqual({ error: 'CredentialsSignin' });
      expect(await wrong(200)).toEqual({ error: 'sign_in_closed' });
      expect(await right('', '203.0.113.201')).toEqual({ error: 'sign_in_closed' });
      expect(await right(deviceCookie, '203.0.113.201')).toMatchObject({ cookie: expect.any(String) });
      await services.database.forTenant(NO_TENANT).signInFailure.deleteMany();
    });
  });

  test('do not begin with a wrong password, nor without a valid CSRF token', async () => {
    expect(await signInToPortal(services, { email: 'ada@example.test', password: 'wrong' })).toEqual({
      error: 'CredentialsSignin',
    });
    const forged = await sendAuthRequest(services, {
      method: 'POST',
      path: ['callback', 'credentials'],
      body: { email: 'ada@example.test', password: PASSWORD, csrfToken: 'forged', json: 'true' },
    });
    expect(forged.setCookie.filter((line) => line.startsWith(COOKIE))).toEqual([]);
  });

  test('redirect to a path of this origin for any address', async () => {
    const baseUrl = 'http://localhost:3000';
    const back = async (url: string) => staffSessionOptions(services).callbacks!.redirect!({ url, baseUrl });
    expect(await back('/patients?search=ada')).toBe(`${baseUrl}/patients?search=ada`);
    expect(await back(`${baseUrl}/plans`)).toBe(`${baseUrl}/plans`);
    for (const target of [
      'https://example.test/a',
      '//example.test/a',
      '/\\example.test/a',
      `${baseUrl}.example.test/a`,
      `${baseUrl}@example.test/a`,
      `${baseUrl}//example.test/a`,
      'javascript:alert(1)',
    ])
      expect(await back(target), target).toBe(`${baseUrl}/`);
  });

  test('report too many attempts separately from a wrong password', async () => {
    const wrong = { email: 'unknown@example.test', password: 'wrong', source: '198.51.100.9' };
    for (let n = 0; n < 5; n += 1) await signInToPortal(services, wrong);
    expect(await signInToPortal(services, wrong)).toEqual({ error: '429 rate_limited' });
  });

  test('return 429 after too many attempts, also for an unknown address', async () => {
    const at = async (email: string, password: string) => {
      const { body, cookie } = await begin();
      const given = { email, password, csrfToken: String(body.csrfToken), json: 'true' };
      const source = '198.51.100.10';
      return sendAuthRequest(services, {
        method: 'POST',
        path: ['callback', 'credentials'],
        body: given,
        cookie,
        source,
      });
    };
    const responses = [];
    for (const email of ['ada@example.test', 'unknown@example.test']) {
      for (let n = 0; n < 5; n += 1) expect((await at(email, 'wrong')).status).toBe(401);
      const { body, ...response } = await at(email, PASSWORD);
      responses.push({ ...response, errors: body.errors });
    }
    expect(responses[0]).toEqual({
      status: 429,
      retryAfter: '1',
      setCookie: [],
      errors: [expect.objectContaining({ status: '429', code: 'rate_limited' })],
    });
    expect(responses[1]).toEqual(responses[0]);
    await services.database.forTenant(NO_TENANT).signInFailure.deleteMany();
  });

  test('return 429 when one source attempts many addresses', async () => {
    const source = '198.51.100.11';
    for (let n = 0; n < 120; n += 1) assertRateLimit(services, { name: 'wrong_staff_sign_ins', key: [source] });
    const { body, cookie } = await begin();
    const form = { email: 'ada@example.test', password: PASSWORD, csrfToken: String(body.csrfToken), json: 'true' };
    const path = ['callback', 'credentials'];
    const { status, retryAfter } = await sendAuthRequest(services, {
      method: 'POST',
      path,
      body: form,
      cookie,
      source,
    });
    expect([status, Number(retryAfter) > 0]).toEqual([429, true]);
  });

  test('are extended by activity, up to 12 hours', async () => {
    const { cookie } = await signIn();
    expect((await act(cookie))?.renewed).toBeNull();
    const used = await act(cookie, later(2 * MINUTE));
    expect(used?.renewed).toMatch(/^next-auth\.session-token=.*; Max-Age=1800; HttpOnly; SameSite=Lax$/);
    expect(used?.endsInS).toBe((30 * MINUTE) / SECOND);
    expect(await read(used!.renewed!.split(';')[0]!)).toMatchObject({ userId: user.id });
    expect(await read(cookie, later(12 * HOUR))).toBeNull();
    const shown = await sendAuthRequest(later(12 * HOUR), { method: 'GET', path: ['session'], cookie });
    expect(shown.body).toEqual({});
  });

  test('are not extended by automatic requests, which return the remaining time', async () => {
    const { cookie } = await signIn();
    const polled = await read(cookie, later(28 * MINUTE));
    expect(polled?.renewed).toBeNull();
    expect(polled?.endsInS).toBeGreaterThan(110);
    expect(polled?.endsInS).toBeLessThanOrEqual(120);
    expect(await act(cookie, later(30 * MINUTE))).toBeNull();
  });

  test('are not extended by a read of the session', async () => {
    const { cookie } = await signIn();
    const shown = await sendAuthRequest(later(2 * MINUTE), { method: 'GET', path: ['session'], cookie });
    expect(shown.body).toMatchObject({ user: { email: 'ada@example.test' } });
    expect(shown.setCookie.filter((line) => line.includes('session-token='))).toEqual([]);
  });

  test('end after 12 hours in spite of activity', async () => {
    const { cookie } = await signIn();
    const decoded = await decode({ token: cookie.split('=')[1]!, secret: services.config.sessionSecret });
    const token = { ...decoded, signed_in_at: (Date.now() - 12 * HOUR + 2 * MINUTE) / SECOND };
    const late = `${COOKIE}=${await encode({ token, secret: services.config.sessionSecret, maxAge: 600 })}`;
    expect((await act(late, later(0)))?.endsInS).toBeLessThanOrEqual(120);
  });

  test('end after 30 idle minutes', async () => {
    const { cookie, setCookie } = await signIn();
    const expires = Date.parse(/Expires=([^;]+)/.exec(setCookie[0]!)![1]!);
    expect(expires - Date.now()).toBeLessThanOrEqual(30 * MINUTE);
    const decoded = await decode({ token: cookie.split('=')[1]!, secret: services.config.sessionSecret });
    expect(Number(decoded!.exp) * SECOND - Date.now()).toBeLessThanOrEqual(30 * MINUTE);
    const token = { ...decoded, signed_in_at: Date.now() / SECOND };
    const { sessionSecret: secret } = services.config;
    expect(await read(`${COOKIE}=${await encode({ token, secret, maxAge: 60 })}`)).not.toBeNull();
    expect(await read(`${COOKIE}=${await encode({ token, secret, maxAge: -60 })}`)).toBeNull();
  });

  test('end for every copy of the cookie after a sign-out', async () => {
    const { cookie } = await signIn();
    const other = await signIn();
    const isLive = async (copy: string) => {
      const session = await read(copy);
      return session !== null && (await staffActor(services, session)) !== null;
    };
    const shown = () => sendAuthRequest(services, { method: 'GET', path: ['session'], cookie });
    expect((await shown()).body).toMatchObject({ user: { email: 'ada@example.test' } });
    expect([await isLive(cookie), await isLive(other.cookie)]).toEqual([true, true]);
    const { setCookie } = await signOutOfPortal(services, cookie);
    expect(setCookie.some((line) => line.startsWith(`${COOKIE}=;`))).toBe(true);
    expect([await isLive(cookie), await isLive(other.cookie)]).toEqual([false, true]);
    expect((await shown()).body).toEqual({});
  });

  test('in an older cookie format without a session id are invalid', async () => {
    const { sessionSecret: secret } = services.config;
    const token = { user_id: user.id, tenant_id: tenant.id, signed_in_at: Date.now() / SECOND };
    expect(await read(`${COOKIE}=${await encode({ token, secret, maxAge: 60 })}`)).toBeNull();
  });

  test('are invalid when the cookie is missing, changed, or from another secret', async () => {
    const { cookie } = await signIn();
    expect(await read('')).toBeNull();
    // Not the last characters: some of their bits are padding.
    const changed = cookie.at(-9) === 'x' ? 'y' : 'x';
    expect(await read(`${cookie.slice(0, -9)}${changed}${cookie.slice(-8)}`)).toBeNull();
    const other = testServices(clinic.database);
    expect(await read(cookie, other)).toBeNull();
    await other.close();
  });
});
