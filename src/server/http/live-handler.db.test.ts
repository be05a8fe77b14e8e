import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveChange } from '#contract/event-types.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { serveHandlers } from '#dev/testing/http-server.ts';
import { signInToPortal } from '#dev/testing/staff-sign-in.ts';
import { type Context, type Services, systemContext } from '../core/context.ts';
import { newId } from '../core/ids.ts';
import { type EventName, record } from '../core/record.ts';
import { createStaffUser } from '../identity/staff/create-staff-user.ts';
import { createTenant } from '../identity/staff/create-tenant.ts';

const PASSWORD = 'correct horse battery';
let clinic: Clinic;
let services: Services;
let server: Awaited<ReturnType<typeof serveHandlers>>;
let ctx: Context;
let other: Context;
let staff: Record<'admin' | 'practitioner', { id: string; cookie: string }>;

beforeAll(async () => {
  clinic = await withClinic();
  ({ services } = clinic);
  server = await serveHandlers(services);
  const tenants = await Promise.all(
    ['Riverbend', 'Hillside'].map((name) => createTenant(services, { name, timeZone: 'America/New_York' })),
  );
  [ctx, other] = tenants.map(({ id }) => systemContext(services, id, 'test')) as [Context, Context];
  const add = async (role: 'admin' | 'practitioner') => {
    const email = `${role}@example.test`;
    const { id } = await createStaffUser(ctx, { email, name: 'Ada Example', role, password: PASSWORD });
    const session = await signInToPortal(services, { email, password: PASSWORD });
    if ('error' in session) throw new Error(`refused: ${session.error}`);
    return { id, cookie: session.cookie };
  };
  staff = { admin: await add('admin'), practitioner: await add('practitioner') };
});
afterAll(async () => {
  await server?.stop();
  await clinic?.stop();
});

const recordEvent = (event: EventName, of = ctx, objectId = newId(), patientId: string | null = newId()) =>
  of.db.$transaction((tx) =>
    record(tx, of, {
      action: 'patients.update',
      object: { type: 'Test', id: objectId },
      patientId,
      event,
      payload: { first_name: 'Secret' },
    }),
  );

/** A page that listens, with the text that it received. */
async function listen(role: keyof typeof staff, query = '') {
  const leaving = new AbortController();
  const headers = { cookie: staff[role].cookie, 'x-carelane-act': '1' };
  const response = await fetch(`${server.url}/api/live${query}`, { headers, signal: leaving.signal });
  const received = { text: '', isOver: false };
  const reading = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) received.text += chunk;
  })()
    .catch(() => {})
    .finally(() => {
      received.isOver = true;
    });
  const changes = (): LiveChange[] =>
    [...received.text.matchAll(/^data: (\[.*\])$/gm)].flatMap(([, json]) => JSON.parse(json!));
  return { response, received, changes, leave: () => leaving.abort(), ended: reading };
}

test('the stream reports the changed record and its patient, without its content', async () => {
  const page = await listen('practitioner');
  expect(page.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  await expect.poll(() => page.received.text).not.toBe('');
  const [id, patientId] = [newId(), newId()];
  const since = performance.now();
  await recordEvent('appointment.scheduled', ctx, id, patientId);
  await expect
    .poll(page.changes)
    .toContainEqual({ type: 'appointment', topic: 'scheduled', object_id: id, patient_id: patientId });
  if (process.env.PROVE) expect(performance.now() - since).toBeLessThan(2_000);
  expect(page.received.text).not.toContain('Secret');
  page.leave();
});

test('the stream reports no other clinic’s changes, and no integration changes to practitioners', async () => {
  const [admin, practitioner] = [await listen('admin'), await listen('practitioner')];
  const otherTenantId = newId();
  await recordEvent('patient.updated', other, otherTenantId);
  await recordEvent('integration.degraded', ctx, 'stripe', null);
  const last = newId();
  await recordEvent('patient.updated', ctx, last);
  for (const page of [admin, practitioner])
    await expect.poll(() => page.changes().some(({ object_id }) => object_id === last)).toBe(true);
  const idsOf = (page: typeof admin) => page.changes().map(({ object_id }) => object_id);
  expect(idsOf(admin)).toContain('stripe');
  expect(idsOf(practitioner)).not.toContain('stripe');
  for (const page of [admin, practitioner]) expect(idsOf(page)).not.toContain(otherTenantId);
  for (const page of [admin, practitioner]) page.leave();
});

test('a page gets the changes since it was loaded first, or "all" if it is too old', async () => {
  const id = newId();
  await recordEvent('patient.created', ctx, id);
  await expect.poll(() => ctx.db.unnumberedEvent.count()).toBe(0);
  const page = await listen('admin', '?age=60');
  await expect.poll(() => page.changes().map(({ object_id }) => object_id)).toContain(id);
  const old = await listen('admin', '?age=999999');
  await expect.poll(() => old.received.text).toContain('data: "all"');
  for (const one of [page, old]) one.leave();
});

test('the stream neither extends nor renews the session', async () => {
  const page = await listen('admin');
  expect(page.response.headers.get('set-cookie')).toBeNull();
  expect(page.response.headers.get('x-carelane-session-ends-in')).toBeNull();
  page.leave();
});

test('the stream ends with its session, before further events', async () => {
  const email = 'leaving@example.test';
  await createStaffUser(ctx, { email, name: 'Rowan Example', role: 'admin', password: PASSWORD });
  const session = await signInToPortal(services, { email, password: PASSWORD });
  if ('error' in session) throw new Error('refused');
  const { cookie } = staff.admin;
  staff.admin.cookie = session.cookie;
  const page = await listen('admin');
  staff.admin.cookie = cookie;
  await expect.poll(() => page.received.text).not.toBe('');
  await ctx.db.staffUser.updateMany({ where: { email }, data: { disabledAt: new Date() } });
  // The cached session may be a second old.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const late = newId();
  await recordEvent('patient.updated', ctx, late);
  await page.ended;
  expect(page.changes().map(({ object_id }) => object_id)).not.toContain(late);
  expect(page.received.text).toContain('event: over');
});

test('the stream requires a session and limits the number of streams per user', async () => {
  const connect = async (init: RequestInit, query = '') => {
    const response = await fetch(`${server.url}/api/live${query}`, init);
    const body = (await response.json()) as { errors: { code: string }[] };
    return [response.status, body.errors[0]!.code];
  };
  const headers = { cookie: staff.admin.cookie };
  expect(await connect({})).toEqual([401, 'missing_token']);
  expect(await connect({ headers: { cookie: 'next-auth.session-token=made-up' } })).toEqual([401, 'missing_token']);
  expect(await connect({ headers }, `?user=${ctx.actor.tenantId}/${staff.practitioner.id}`)).toEqual([
    401,
    'missing_token',
  ]);
  expect(await connect({ method: 'POST', headers })).toEqual([405, 'method_not_allowed']);
  for (const age of ['-1', 'x', '1e9', '%00'])
    expect(await connect({ headers }, `?age=${age}`)).toEqual([422, 'invalid_parameter']);
  const { streams } = services.http;
  await expect.poll(() => streams.size).toBe(0);
  const pages = await Promise.all(Array.from({ length: 8 }, () => listen('admin')));
  expect(await connect({ headers })).toEqual([503, 'service_busy']);
  for (const page of pages) page.leave();
  await expect.poll(() => streams.size).toBe(0);
});

test('a process that shuts down ends all streams', async () => {
  const page = await listen('admin');
  await expect.poll(() => page.received.text).not.toBe('');
  services.events.endAll();
  await page.ended;
  const late = await listen('admin');
  await late.ended;
  expect(late.response.status).toBe(200);
});
