import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import type { ReceivedWebhook } from '#dev/testing/webhook-receiver.ts';
import { type WebhookSetup, withWebhooks } from '#dev/testing/webhook-setup.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { openMessage } from '#server/messages/send-message.ts';
import { rollSecret, updateEndpoint } from './change-endpoint.ts';
import { nextAttemptAt } from './conclude-deliveries.ts';
import { getEndpoint, listDeliveries } from './list-endpoints.ts';
import { replayDelivery, replayEvents, testEndpoint } from './replay.ts';

let setup: WebhookSetup;
beforeAll(async () => {
  setup = await withWebhooks(await withClinic({ clock: true }));
});
afterAll(() => setup?.stop());

const SOON = { timeout: 15_000, interval: 20 };
const sequences = (got: ReceivedWebhook[]) => got.map(({ body }) => body.sequence);
const verify = (secret: string, { raw, headers }: ReceivedWebhook) =>
  new Webhook(secret).verify(raw, headers as Record<string, string>);

describe('a delivery', () => {
  test('is thin by default, verifies with the Standard Webhooks library, and carries the cursor', async () => {
    const { recordEvent, endpoint, admin } = await setup.tenant();
    const receiver = await setup.receiver();
    const { secret, id } = await endpoint(receiver.url);
    const patientId = newId();
    await recordEvent('patient.created', patientId, patientId, { first_name: 'Ada' });
    await expect.poll(() => receiver.received.length, SOON).toBe(1);
    const [first] = receiver.received as [ReceivedWebhook];
    const { items } = await listDeliveries(admin, { id });
    expect(first.body).toEqual({
      type: 'patient.created',
      id: items[0]!.event_id,
      event_name: 'Patient Created',
      event_type: 'patient',
      event_topic: 'created',
      tenant_id: admin.tenantId,
      contract_version: '1.0.0',
      timestamp: expect.stringMatching(/Z$/),
      sequence: 1,
      cursor: 1,
      missed_sequence: null,
      replayed: false,
      object_id: patientId,
      patient_id: patientId,
      author_type: 'System',
      author_id: 'test',
      created_at: expect.any(String),
      time: expect.any(Number),
    });
    expect(first.headers).toMatchObject({
      'webhook-id': first.body.id,
      'content-type': expect.stringContaining('json'),
    });
    expect(verify(secret, first)).toEqual(first.body);
    expect(() => verify(secret, { ...first, raw: first.raw.replace('created', 'deleted') })).toThrow();
    await expect
      .poll(async () => (await listDeliveries(admin, { id })).items[0], SOON)
      .toMatchObject({
        state: 'delivered',
        attempts: 1,
        last_status: 204,
        last_error: null,
        answer: '',
      });
    expect((await getEndpoint(admin, { id })).status).toBe('ok');
  });

  test('is sent for the chosen types only, and for events after the endpoint was created', async () => {
    const { recordEvent, endpoint } = await setup.tenant();
    await recordEvent('patient.created');
    const [some, all] = [await setup.receiver(), await setup.receiver()];
    await endpoint(some.url, { event_types: ['subscription', 'appointment.canceled'] });
    await endpoint(all.url);
    await recordEvent('appointment.scheduled', 'a');
    await recordEvent('appointment.canceled', 'a');
    await recordEvent('subscription.created', 's');
    await expect.poll(() => all.received.length, SOON).toBe(3);
    await expect.poll(() => some.received.length, SOON).toBe(2);
    expect(some.received.map(({ body }) => body.type).sort()).toEqual(['appointment.canceled', 'subscription.created']);
  });

  test('as a snapshot contains the resource, and is audited per patient without values', async () => {
    const { recordEvent, endpoint, ctx, admin } = await setup.tenant();
    const receiver = await setup.receiver();
    await expect(endpoint(receiver.url, { payload: 'snapshot' })).rejects.toThrow('health_data_confirmed');
    const { id } = await endpoint(receiver.url, { payload: 'snapshot', health_data_confirmed: true });
    const patientId = newId();
    await recordEvent('patient.created', patientId, patientId, { first_name: 'Ada' });
    await recordEvent('integration.connected', 'stripe');
    await expect.poll(() => receiver.received.length, SOON).toBe(2);
    expect(receiver.received.find(({ body }) => body.patient_id)!.body.payload).toEqual({
      id: patientId,
      first_name: 'Ada',
    });
    const entries = await ctx.db.auditEntry.findMany({ where: { action: 'webhooks.deliver' } });
    expect(entries).toMatchObject([{ patientId, objectId: id, actorType: 'System' }]);
    expect(JSON.stringify(entries[0]!.details)).not.toContain('Ada');
    // Another address needs another confirmation.
    const elsewhere = { id, url: `${receiver.url}/elsewhere` };
    await expect(updateEndpoint(admin, elsewhere)).rejects.toThrow('health_data_confirmed');
    await updateEndpoint(admin, { ...elsewhere, health_data_confirmed: true });
  });

  test('is signed with both secrets for a day after the secret was rolled', async () => {
    const { recordEvent, endpoint, admin } = await setup.tenant();
    const receiver = await setup.receiver();
    const made = await endpoint(receiver.url);
    const rolled = await rollSecret(admin, { id: made.id });
    await recordEvent('patient.created');
    await expect.poll(() => receiver.received.length, SOON).toBe(1);
    for (const secret of [made.secret, rolled.secret]) verify(secret, receiver.received[0]!);
    setup.pass(DAY + MINUTE, admin.tenantId);
    await recordEvent('patient.created');
    await expect.poll(() => receiver.received.length, SOON).toBe(2);
    expect(receiver.received[1]!.headers['webhook-signature']).toMatch(/^v1,\S+$/);
    setup.pass(-DAY - MINUTE, admin.tenantId);
  });

  test('as a test contains no event, and does not affect the status of the endpoint', async () => {
    const { endpoint, admin } = await setup.tenant();
    const receiver = await setup.receiver(() => 500);
    const { id } = await endpoint(receiver.url);
    const made = await testEndpoint(admin, { id });
    await expect.poll(async () => (await listDeliveries(admin, { id })).items[0]!.state, SOON).toBe('parked');
    expect(receiver.received[0]!.body).toMatchObject({ type: 'webhook.test', id: made.event_id, test: true });
    expect((await listDeliveries(admin, { id })).items[0]).toMatchObject({ last_status: 500, answer: 'answered 500' });
    expect((await getEndpoint(admin, { id })).status).toBe('ok');
  });
});

describe('a failing delivery', () => {
  test('holds back later events of the same object only', async () => {
    const { recordEvent, endpoint, admin } = await setup.tenant();
    let isWell = false;
    const receiver = await setup.receiver(({ body }) => (body.object_id === 'poison' && !isWell ? 500 : 204));
    const { id } = await endpoint(receiver.url);
    for (let n = 0; n < 4; n += 1) {
      await recordEvent('appointment.changed', 'poison');
      await recordEvent('appointment.changed', 'good');
    }
    await expect.poll(() => receiver.accepted.length, SOON).toBe(4);
    expect(sequences(receiver.accepted)).toEqual([2, 4, 6, 8]);
    expect(
      new Set(receiver.received.filter(({ body }) => body.object_id === 'poison').map(({ body }) => body.sequence)),
    ).toEqual(new Set([1]));
    // The cursor stays before the first missing event.
    expect(receiver.accepted.map(({ body }) => body.cursor)).toEqual([0, 0, 0, 0]);
    const states = async () => (await listDeliveries(admin, { id, state: 'waiting' })).items.map(({ state }) => state);
    await expect.poll(states, SOON).toEqual(['held', 'held', 'held', 'waiting']);
    isWell = true;
    setup.pass(6 * SECOND, admin.tenantId);
    await expect.poll(() => receiver.accepted.length, SOON).toBe(8);
    expect(sequences(receiver.accepted).slice(4)).toEqual([1, 3, 5, 7]);
    expect(receiver.accepted.at(-1)!.body.cursor).toBe(8);
  });

  test('is attempted ten times in three days, then given up with an email to the admins', async () => {
    const { recordEvent, endpoint, admin, ctx } = await setup.tenant();
    const email = `${newId()}@example.test`;
    const colleague = { tenantId: ctx.tenantId, name: 'Rowan Example', passwordHash: 'set' };
    await ctx.db.staffUser.create({ data: { ...colleague, id: newId(), email, role: 'admin' } });
    await ctx.db.staffUser.create({
      data: { ...colleague, id: newId(), email: `${newId()}@example.test`, role: 'practitioner' },
    });
    let isWell = false;
    // The second is sent while the first is being given up.
    const receiver = await setup.receiver(({ body }) => (isWell || body.sequence === 2 ? 204 : 503));
    const { id } = await endpoint(receiver.url);
    await recordEvent('patient.created', 'one');
    await recordEvent('patient.updated', 'one');
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await expect.poll(() => receiver.received.filter(({ body }) => body.sequence === 1).length, SOON).toBe(attempt);
      await expect
        .poll(async () => (await listDeliveries(admin, { id })).items.at(-1)!.state, SOON)
        .toBe(attempt < 10 ? 'waiting' : 'parked');
      const { items } = await listDeliveries(admin, { id });
      const row = items.at(-1)!;
      expect(row.attempts).toBe(attempt);
      if (attempt === 10) isWell = true;
      if (row.next_try_at === null) break;
      const wait = Date.parse(row.next_try_at) - Date.parse(row.last_tried_at!);
      waits.push(wait);
      setup.pass(wait, admin.tenantId);
    }
    const planned = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 24 * HOUR];
    expect(waits).toHaveLength(9);
    for (const [n, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(planned[n]! * 0.89);
      expect(wait).toBeLessThanOrEqual(planned[n]! * 1.11 + 15 * SECOND);
    }
    expect(new Set(receiver.received.slice(0, 10).map(({ headers }) => headers['webhook-id'])).size).toBe(1);

    await expect.poll(() => receiver.received.length, SOON).toBe(11);
    expect(receiver.received[10]!.body).toMatchObject({ sequence: 2, missed_sequence: 1, cursor: 0, replayed: false });
    expect((await getEndpoint(admin, { id })).status).toBe('failing');
    const mail = { kind: 'webhooks_failing', to: email, receiver: expect.stringContaining('127.0.0.1') };
    await expect.poll(() => mailsTo(ctx), SOON).toMatchObject([mail]);

    const { items } = await listDeliveries(admin, { id, state: 'parked' });
    await replayDelivery(admin, { id, delivery_id: items[0]!.id });
    await expect.poll(() => receiver.received.length, SOON).toBe(12);
    expect(receiver.received[11]!.body).toMatchObject({
      sequence: 1,
      replayed: true,
      cursor: 2,
      missed_sequence: null,
    });
    expect(receiver.received[11]!.headers['webhook-id']).toBe(receiver.received[0]!.headers['webhook-id']);
    await expect.poll(async () => (await getEndpoint(admin, { id })).status, SOON).toBe('ok');
    expect((await listDeliveries(admin, { id })).items.map(({ kind, state }) => [kind, state])).toEqual([
      ['replay', 'delivered'],
      ['live', 'delivered'],
      ['live', 'recovered'],
    ]);
  });

  test('is retried no earlier than the receiver’s Retry-After', async () => {
    const { recordEvent, endpoint, admin } = await setup.tenant();
    const receiver = await setup.receiver(() => (response) => response.writeHead(429, { 'retry-after': '90' }).end());
    const { id } = await endpoint(receiver.url);
    await recordEvent('patient.created');
    await expect.poll(async () => (await listDeliveries(admin, { id })).items[0]?.last_status, SOON).toBe(429);
    const [row] = (await listDeliveries(admin, { id })).items;
    expect(Date.parse(row!.next_try_at!) - Date.parse(row!.last_tried_at!)).toBeGreaterThanOrEqual(90 * SECOND);
  });

  test.each([
    [null, 5 * SECOND],
    ['30', 30 * SECOND],
    ['1', 5 * SECOND],
    ['99999999', DAY],
    ['Fri, 01 Jan 2027 00:01:00 GMT', MINUTE],
    ['Thu, 31 Dec 2026 00:00:00 GMT', 5 * SECOND],
    ['soon', 5 * SECOND],
    ['-5', 5 * SECOND],
  ])('with Retry-After: %s is retried after about %d ms', (retryAfter, ms) => {
    const now = new Date('2027-01-01T00:00:00Z');
    const wait = nextAttemptAt(1, retryAfter, now).getTime() - now.getTime();
    expect(wait).toBeGreaterThanOrEqual(ms * 0.9);
    expect(wait).toBeLessThanOrEqual(ms * 1.1);
  });

  test('with 410 switches the endpoint off, and is sent when it is switched on again', async () => {
    const { recordEvent, endpoint, admin, ctx } = await setup.tenant();
    let status = 410;
    const receiver = await setup.receiver(() => status);
    const { id } = await endpoint(receiver.url);
    await recordEvent('patient.created', 'one');
    await expect.poll(async () => (await getEndpoint(admin, { id })).status, SOON).toBe('off');
    expect(await getEndpoint(admin, { id })).toMatchObject({ enabled: false, off_because: 'gone' });
    await recordEvent('patient.updated', 'one');
    await recordEvent('patient.updated', 'two');
    await expect.poll(() => ctx.db.eventNumber.count(), SOON).toBe(3);
    setup.pass(HOUR, admin.tenantId);
    status = 204;
    expect(await updateEndpoint(admin, { id, enabled: true })).toMatchObject({ status: 'ok', off_because: null });
    await expect.poll(() => receiver.accepted.length, SOON).toBe(1);
    // Events from while it was off are sent by a replay only.
    expect(await replayEvents(admin, { id, after_sequence: 1 })).toEqual({
      queued: 2,
      replayed_through: 3,
      more: false,
    });
    await expect.poll(() => sequences(receiver.accepted).sort(), SOON).toEqual([1, 2, 3]);
  });

  test('for five days switches the endpoint off', async () => {
    const { recordEvent, endpoint, admin, ctx } = await setup.tenant();
    const receiver = await setup.receiver(() => 500);
    const { id } = await endpoint(receiver.url);
    await recordEvent('patient.created', 'one');
    await expect.poll(async () => (await getEndpoint(admin, { id })).status, SOON).toBe('failing');
    const since = new Date(setup.services.clock.now().getTime() - 5 * DAY - MINUTE);
    await ctx.db.webhookEndpoint.updateMany({ data: { failingSince: since } });
    await recordEvent('patient.created', 'two');
    await expect.poll(async () => (await getEndpoint(admin, { id })).off_because, SOON).toBe('failing');
    const before = receiver.received.length;
    await recordEvent('patient.created', 'three');
    await expect.poll(() => ctx.db.eventNumber.count(), SOON).toBe(3);
    setup.pass(DAY, admin.tenantId);
    expect(receiver.received.length).toBe(before);
  });

  test('with a slow receiver does not delay other endpoints', async () => {
    const { recordEvent, endpoint } = await setup.tenant();
    const hanging = await Promise.all(Array.from({ length: 5 }, () => setup.receiver(() => () => {})));
    for (const { url } of hanging) await endpoint(url);
    const fast = await setup.receiver();
    await endpoint(fast.url);
    for (let n = 0; n < 30; n += 1) await recordEvent('patient.created');
    await expect.poll(() => fast.received.length, { timeout: 14_000, interval: 20 }).toBe(30);
  }, 30_000);
});

/** The emails that were queued. */
async function mailsTo(ctx: Context): Promise<object[]> {
  const rows = await ctx.db.$queryRaw<{ payload: { tenantId: string; sealed: string } }[]>`
    select payload from graphile_worker._private_jobs where payload->>'tenantId' = ${ctx.tenantId}`;
  return rows.map(({ payload }) => openMessage(ctx, payload)).filter(({ kind }) => kind.startsWith('webhooks'));
}
