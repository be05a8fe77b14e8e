import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { asFetch } from '#dev/testing/http-server.ts';
import { signInToPortal } from '#dev/testing/staff-sign-in.ts';
import { MINUTE } from '../core/clock.ts';
import { type Services, systemContext } from '../core/context.ts';
import { createStaffUser } from '../identity/staff/create-staff-user.ts';
import { createTenant } from '../identity/staff/create-tenant.ts';
import { createPortalHandler } from './trpc-handler.ts';

const PASSWORD = 'correct horse battery';
const PORTAL = { 'x-carelane-portal': '1' };

describe('the portal’s tRPC handler', () => {
  let clinic: Clinic;
  let services: Services;
  let handler: (request: Request) => Promise<Response>;
  let admin: { id: string; cookie: string };
  let practitioner: { id: string; cookie: string };
  let tenant: { id: string };

  beforeAll(async () => {
    clinic = await withClinic();
    ({ services } = clinic);
    handler = asFetch(createPortalHandler(services));
    tenant = await createTenant(services, { name: 'Example Clinic', timeZone: 'America/New_York' });
    const add = async (email: string, role: 'admin' | 'practitioner') => {
      const ctx = systemContext(services, tenant.id, 'test');
      const { id } = await createStaffUser(ctx, { email, name: 'Ada Example', role, password: PASSWORD });
      const session = await signInToPortal(services, { email, password: PASSWORD });
      if ('error' in session) throw new Error(`refused: ${session.error}`);
      return { id, cookie: session.cookie };
    };
    admin = await add('ada@example.test', 'admin');
    practitioner = await add('bob@example.test', 'practitioner');
  });
  afterAll(() => clinic?.stop());

  const call = async (path: string, headers: Record<string, string>, through = handler) => {
    const response = await through(new Request(`${services.config.publicUrl}/api/trpc/${path}`, { headers }));
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const change = async (path: string, input: unknown, headers: Record<string, string>) => {
    const response = await handler(
      new Request(`${services.config.publicUrl}/api/trpc/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(input),
      }),
    );
    return { status: response.status, body: await response.json() };
  };
  const codesOf = ({ body }: { body: { error: { data: { errors: { code: string }[] } } } }) =>
    body.error.data.errors.map(({ code }) => code);
  const input = { name: 'Example Server', scopes: ['patients:read'] };

  test('identifies the signed-in user', async () => {
    const response = await call('session.me', { cookie: admin.cookie });
    expect(response.status).toBe(200);
    expect(response.body.result.data).toMatchObject({ user: { id: admin.id, role: 'admin' }, environment: 'sandbox' });
    expect(response.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('returns 401 without a session or with a forged one', async () => {
    for (const cookie of ['', 'next-auth.session-token=made-up']) {
      const response = await call('session.me', { cookie });
      expect([response.status, codesOf(response)]).toEqual([401, ['missing_token']]);
    }
  });

  test('rejects calls and changes of a page that was made for another user, and says nothing of the session', async () => {
    const asPageOf = (owner: string) => ({ cookie: admin.cookie, 'x-carelane-user': owner, 'x-carelane-act': '1' });
    expect((await call('session.me', asPageOf(`${tenant.id}/${admin.id}`))).status).toBe(200);
    for (const owner of [`${tenant.id}/${practitioner.id}`, `${admin.id}/${admin.id}`, admin.id, '']) {
      const response = await call('session.me', asPageOf(owner));
      expect([response.status, codesOf(response)]).toEqual([401, ['missing_token']]);
      expect(JSON.stringify(response.body)).not.toContain(admin.id);
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(response.headers.get('x-carelane-session-ends-in')).toBeNull();
    }
    const changing = await change('applications.create', input, { ...PORTAL, ...asPageOf(practitioner.id) });
    expect([changing.status, codesOf(changing)]).toEqual([401, ['missing_token']]);
  });

  test('rejects a bearer token, even with a valid session', async () => {
    const response = await call('session.me', { cookie: admin.cookie, authorization: 'Bearer some-token' });
    expect([response.status, codesOf(response)]).toEqual([401, ['invalid_token']]);
  });

  test('accepts changes from its own pages only', async () => {
    const { cookie } = admin;
    const { origin } = new URL(services.config.publicUrl);
    expect((await change('applications.create', input, { cookie, ...PORTAL })).status).toBe(200);
    expect((await change('applications.create', input, { cookie, origin })).status).toBe(200);
    for (const otherOrigin of ['', 'https://example.test', 'null']) {
      const response = await change('applications.create', input, { cookie, origin: otherOrigin });
      expect([response.status, codesOf(response)]).toEqual([403, ['forbidden']]);
    }
    const list = await call('applications.list', { cookie });
    expect(list.body.result.data).toHaveLength(2);
  });

  test('rejects a change by GET', async () => {
    const query = `applications.create?input=${encodeURIComponent(JSON.stringify(input))}`;
    expect((await call(query, { cookie: admin.cookie, ...PORTAL })).status).toBe(405);
  });

  test('rejects a practitioner at admin procedures and reports invalid fields', async () => {
    const { cookie } = practitioner;
    const rejected = await change('applications.create', input, { cookie, ...PORTAL });
    expect([rejected.status, codesOf(rejected)]).toEqual([403, ['forbidden']]);
    const bad = await change('applications.create', { ...input, scopes: ['all'] }, { cookie: admin.cookie, ...PORTAL });
    expect([bad.status, codesOf(bad)]).toEqual([422, ['invalid_parameter']]);
  });

  test('adds a text for people to each error and uses tRPC’s name of its status', async () => {
    const { cookie } = practitioner;
    const rejected = await change('applications.create', input, { cookie, ...PORTAL });
    const { code, httpStatus, errors } = rejected.body.error.data;
    expect([code, httpStatus, rejected.body.error.code]).toEqual(['FORBIDDEN', 403, -32003]);
    expect(errors[0]).toMatchObject({ people: expect.stringMatching(/^Your role does not allow this/) });
    const bad = await change('applications.create', { name: '', scopes: [] }, { cookie: admin.cookie, ...PORTAL });
    expect(bad.body.error.data.code).toBe('UNPROCESSABLE_CONTENT');
    expect(bad.body.error.data.errors.map(({ people }: { people: string }) => people)).toEqual([
      'Fill this in.',
      'Choose at least one.',
    ]);
    const missing = await call(`patients.get?input=${encodeURIComponent(JSON.stringify({ id: admin.id }))}`, {
      cookie,
    });
    expect(missing.body.error.data).toMatchObject({ code: 'NOT_FOUND', httpStatus: 404 });
  });

  test('converts tRPC’s own errors to the contract’s codes', async () => {
    const { cookie } = admin;
    const posted = async (body: string, type: string) => {
      const request = new Request(`${services.config.publicUrl}/api/trpc/applications.create`, {
        method: 'POST',
        headers: { cookie, ...PORTAL, 'content-type': type },
        body,
      });
      const response = await handler(request);
      const { error } = await response.json();
      return [response.status, error.data.errors[0].code, error.data.errors[0].status];
    };
    expect(await posted('{}', 'text/plain')).toEqual([415, 'unsupported_media_type', '415']);
    expect(await posted('{bad', 'application/json')).toEqual([400, expect.stringMatching(/^malformed_/), '400']);
    for (const path of ['nothing.here', '__proto__', 'applications', 'applications.constructor']) {
      const response = await call(path, { cookie });
      expect([path, response.status, codesOf(response)]).toEqual([path, 404, ['route_not_found']]);
    }
    const many = Array.from({ length: 21 }, () => 'session.me').join(',');
    const batch = await call(`${many}?batch=1&input=%7B%7D`, { cookie });
    expect(batch.status).toBe(400);
  });

  test('extends a session by user activity, not by automatic requests', async () => {
    const clock = { now: () => new Date(Date.now() + 2 * MINUTE) };
    const later = asFetch(createPortalHandler({ ...services, clock }));
    const polled = await call('session.me', { cookie: admin.cookie }, later);
    expect(polled.headers.get('set-cookie')).toBeNull();
    expect(Number(polled.headers.get('x-carelane-session-ends-in'))).toBeLessThanOrEqual(28 * 60);
    const act = { cookie: admin.cookie, 'x-carelane-act': '1' };
    const active = await call('session.me', act, later);
    expect(active.headers.get('set-cookie')).toMatch(/^next-auth\.session-token=/);
    expect(active.headers.get('x-carelane-session-ends-in')).toBe(`${30 * 60}`);
    expect((await call('session.me', act)).headers.get('set-cookie')).toBeNull();
  });

  test.concurrent('applies a changed role and a disabled user within a second', async () => {
    const { staffUser } = services.database.forTenant(tenant.id);
    const status = async () => (await call('applications.list', { cookie: practitioner.cookie })).status;
    expect(await status()).toBe(403);
    await staffUser.update({ where: { id: practitioner.id }, data: { role: 'admin' } });
    await expect.poll(status, { timeout: 3000 }).toBe(200);
    await staffUser.update({ where: { id: practitioner.id }, data: { disabledAt: new Date() } });
    await expect.poll(status, { timeout: 3000 }).toBe(401);
  });

  test.concurrent('returns 401 to a client that waited for events while its session ended', async () => {
    const session = await signInToPortal(services, { email: 'ada@example.test', password: PASSWORD });
    if ('error' in session) throw new Error(`refused: ${session.error}`);
    const { cookie } = session;
    const pendingCall = call(`events.list?input=${encodeURIComponent(JSON.stringify({ wait: 2 }))}`, { cookie });
    await pause(300);
    await services.database
      .forTenant(tenant.id)
      .staffUser.update({ where: { id: admin.id }, data: { disabledAt: new Date() } });
    expect((await pendingCall).status).toBe(401);
  });
});
