import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES, type Scope } from '#contract/scopes.ts';
import { asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { type WebhookSetup, withWebhooks } from '#dev/testing/webhook-setup.ts';
import { systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createEndpoint, deleteEndpoint, rollSecret, updateEndpoint } from './change-endpoint.ts';
import { findOldestAwaitedEvent } from './endpoint.ts';
import { getEndpoint, listDeliveries, listEndpoints } from './list-endpoints.ts';
import { replayDelivery, replayEvents, testEndpoint } from './replay.ts';

let setup: WebhookSetup;
beforeAll(async () => {
  setup = await withWebhooks(await withClinic({ clock: true }));
});
afterAll(() => setup?.stop());

const URL = 'https://hooks.example.com/';
const codeOf = (request: Promise<unknown>) =>
  request.then(
    () => 'done',
    (error) => error.code,
  );
const without = (...scopes: Scope[]) => SCOPES.filter((scope) => scope !== 'admin' && !scopes.includes(scope));

describe('access to webhook endpoints', () => {
  test('needs the scope, and the scopes to read the events', async () => {
    const { id } = await setup.tenant();
    const input = { url: URL, event_types: ['patient.created'] };
    const as = (scopes: readonly Scope[]) => asApplication(setup.services, { id }, scopes);
    for (const missing of ['webhooks:write', 'events:read', 'patients:read'] as const)
      expect([missing, await codeOf(createEndpoint(as(without(missing)), input))]).toEqual([missing, 'forbidden']);
    const app = as(without());
    const created = await createEndpoint(app, input);
    expect(await codeOf(createEndpoint(app, { url: URL, event_types: ['*'] }))).toBe('forbidden');
    expect(await codeOf(updateEndpoint(app, { id: created.id, event_types: ['integration'] }))).toBe('forbidden');
    const lackingScope = as(without('patients:read'));
    const rejected = [
      () => getEndpoint(lackingScope, created),
      () => listDeliveries(lackingScope, { id: created.id }),
      () => updateEndpoint(lackingScope, { id: created.id, enabled: false }),
      () => rollSecret(lackingScope, { id: created.id }),
      () => replayEvents(lackingScope, { id: created.id, after_sequence: 0 }),
      () => testEndpoint(lackingScope, { id: created.id }),
      () => deleteEndpoint(lackingScope, { id: created.id }),
    ];
    for (const send of rejected) expect(await codeOf(send())).toBe('forbidden');
    expect(await codeOf(listEndpoints(lackingScope, {}))).toBe('done');
    expect(await codeOf(listEndpoints(as(without('webhooks:read')), {}))).toBe('forbidden');
  });

  test('is allowed for admins in the portal, not for practitioners or patients', async () => {
    const { id, admin } = await setup.tenant();
    const input = { url: URL, event_types: ['patient'] };
    expect(await codeOf(createEndpoint(asPractitioner(setup.services, { id }), input))).toBe('forbidden');
    expect(await codeOf(createEndpoint(asPatient(setup.services, { id }, newId()), input))).toBe('forbidden');
    expect(await codeOf(listEndpoints(asPractitioner(setup.services, { id }), {}))).toBe('forbidden');
    expect(await codeOf(createEndpoint(admin, input))).toBe('done');
  });

  test('is limited to twenty endpoints, also for concurrent requests', async () => {
    const { admin } = await setup.tenant();
    const asked = Array.from({ length: 40 }, () =>
      codeOf(createEndpoint(admin, { url: URL, event_types: ['patient'] })),
    );
    const results = await Promise.all(asked);
    expect(results.filter((code) => code === 'done')).toHaveLength(20);
    expect(results.filter((code) => code === 'conflict')).toHaveLength(20);
    await expect(createEndpoint(admin, { url: URL, event_types: ['*'] })).rejects.toThrow('20 endpoints already');
  });
});

describe('an endpoint', () => {
  test('returns its secret once, and stores it encrypted', async () => {
    const { admin, ctx } = await setup.tenant();
    const { secret, ...made } = await createEndpoint(admin, { url: URL, event_types: ['*'], description: 'Ours' });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toMatchObject({ event_types: ['*'], payload: 'thin', contract_version: '1.0.0', status: 'ok' });
    expect(await getEndpoint(admin, made)).toEqual(made);
    const stored = JSON.stringify(
      [
        await ctx.db.webhookEndpoint
          .findMany()
          .then((rows) => rows.map((row) => Buffer.from(row.secret).toString('latin1'))),
        await ctx.db.auditEntry.findMany({ where: { action: 'webhooks.create' } }),
      ],
      (_, value) => (typeof value === 'bigint' ? String(value) : value),
    );
    expect(stored).not.toContain(secret.slice('whsec_'.length));
    const rolled = await rollSecret(admin, made);
    expect(rolled.secret).not.toBe(secret);
    expect(rolled.old_secret_until).not.toBeNull();
  });

  test('is deleted together with its deliveries', async () => {
    const { admin, ctx, endpoint } = await setup.tenant();
    const receiver = await setup.receiver();
    const { id } = await endpoint(receiver.url);
    await testEndpoint(admin, { id });
    await expect.poll(() => receiver.received.length).toBe(1);
    await deleteEndpoint(admin, { id });
    expect(await codeOf(getEndpoint(admin, { id }))).toBe('not_found');
    expect(await ctx.db.webhookDelivery.count()).toBe(0);
  });

  test.each(['http://hooks.example.com/', 'https://10.0.0.1/', 'https://a@hooks.example.com/', 'not a url'])(
    'is neither created for nor changed to %s',
    async (url) => {
      const { admin } = await setup.tenant();
      expect(await codeOf(createEndpoint(admin, { url, event_types: ['*'] }))).toBe('invalid_parameter');
      const { id } = await createEndpoint(admin, { url: URL, event_types: ['*'] });
      expect(await codeOf(updateEndpoint(admin, { id, url }))).toBe('invalid_parameter');
      expect((await getEndpoint(admin, { id })).url).toBe(URL);
    },
  );
});

describe('a replay', () => {
  test('rejects a future or expired sequence, and a request without a start', async () => {
    const { admin, ctx, recordEvent, endpoint } = await setup.tenant();
    const receiver = await setup.receiver();
    const { id } = await endpoint(receiver.url);
    for (let n = 0; n < 3; n += 1) await recordEvent('patient.created');
    await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(3);
    expect(await codeOf(replayEvents(admin, { id, after_sequence: 4 }))).toBe('invalid_parameter');
    expect(await codeOf(replayEvents(admin, { id }))).toBe('invalid_parameter');
    expect(await codeOf(replayEvents(admin, { id, after_sequence: 1, since: '2020-01-01' }))).toBe('invalid_parameter');
    const done = async () => (await listDeliveries(admin, { id, state: 'delivered' })).items;
    await expect.poll(async () => (await done()).length, { timeout: 10_000 }).toBe(3);
    const oldest = (await done()).at(-1)!;
    await ctx.db.$queryRaw`
      with gone as (delete from event_numbers where tenant_id = ${ctx.tenantId}::uuid and sequence = 1)
      update event_feeds set oldest_sequence = 2 where tenant_id = ${ctx.tenantId}::uuid`;
    expect(await codeOf(replayEvents(admin, { id, after_sequence: 0 }))).toBe('events_expired');
    expect(await codeOf(replayDelivery(admin, { id, delivery_id: oldest.id }))).toBe('events_expired');
    expect(await replayEvents(admin, { id, since: '2020-01-01' })).toEqual({
      queued: 2,
      replayed_through: 3,
      more: false,
    });
  });

  test('sends the matching events, marked as replayed, of its own tenant only', async () => {
    const { admin, recordEvent, endpoint } = await setup.tenant();
    const receiver = await setup.receiver();
    const { id } = await endpoint(receiver.url, { event_types: ['patient', 'appointment.scheduled'] });
    const patient = newId();
    await recordEvent('patient.created', patient, patient);
    await recordEvent('appointment.scheduled', 'a', patient);
    await recordEvent('appointment.canceled', 'a', patient);
    await recordEvent('patient.updated', 'other', newId());
    await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(3);
    const again = await replayEvents(admin, {
      id,
      after_sequence: 0,
      patient_id: patient,
      event_types: ['appointment', 'patient'],
    });
    expect(again).toEqual({ queued: 2, replayed_through: 4, more: false });
    await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(5);
    const replayed = receiver.received.slice(3).map(({ body }) => [body.replayed, body.type]);
    expect(replayed.sort()).toEqual([
      [true, 'appointment.scheduled'],
      [true, 'patient.created'],
    ]);
    const otherTenant = await setup.tenant();
    expect(await codeOf(replayEvents(otherTenant.admin, { id, after_sequence: 0 }))).toBe('not_found');
    const { items } = await listDeliveries(admin, { id });
    const theirs = await otherTenant.endpoint(receiver.url);
    expect(await codeOf(replayDelivery(otherTenant.admin, { id: theirs.id, delivery_id: items[0]!.id }))).toBe(
      'not_found',
    );
  });
});

test('a list of deliveries pages both ways, and rejects the cursor of another endpoint', async () => {
  const { admin, endpoint } = await setup.tenant();
  const receiver = await setup.receiver();
  const [one, two] = [await endpoint(receiver.url), await endpoint(receiver.url)];
  for (let n = 0; n < 5; n += 1) await testEndpoint(admin, { id: one.id });
  await testEndpoint(admin, { id: two.id });
  const all = (await listDeliveries(admin, { id: one.id })).items.map(({ id }) => id);
  expect(all).toEqual([...all].sort().reverse());
  const page = await listDeliveries(admin, { id: one.id, size: 2, starting_after: all[1]! });
  expect(page.items.map(({ id }) => id)).toEqual(all.slice(2, 4));
  const back = await listDeliveries(admin, { id: one.id, size: 2, ending_before: all[3]! });
  expect(back.items.map(({ id }) => id)).toEqual(all.slice(1, 3));
  expect(await codeOf(listDeliveries(admin, { id: two.id, starting_after: all[0]! }))).toBe('invalid_parameter');
  const system = systemContext(setup.services, admin.tenantId, 'test');
  expect(await codeOf(listEndpoints(system, {}))).toBe('done');
});

test('findOldestAwaitedEvent returns the oldest event that an endpoint waits for, ignoring endpoints that are off', async () => {
  const { admin, ctx, recordEvent, endpoint } = await setup.tenant();
  const receiver = await setup.receiver(() => 500);
  const { id } = await endpoint(receiver.url);
  await recordEvent('patient.created');
  await expect.poll(() => ctx.db.webhookDelivery.count({ where: { attempts: 1, state: 'waiting' } })).toBe(1);
  const longAgo = new Date('2020-01-01T00:00:00Z');
  await ctx.db.eventNumber.updateMany({ data: { eventCreatedAt: longAgo } });
  expect(await findOldestAwaitedEvent(setup.services)).toEqual(longAgo);
  await updateEndpoint(admin, { id, enabled: false });
  expect(await findOldestAwaitedEvent(setup.services)).not.toEqual(longAgo);
});
