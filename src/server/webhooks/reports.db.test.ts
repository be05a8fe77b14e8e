import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import type { ReceivedWebhook } from '#dev/testing/webhook-receiver.ts';
import { type WebhookSetup, withWebhooks } from '#dev/testing/webhook-setup.ts';
import { HOUR, MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { deleteEndpoint, rollSecret, updateEndpoint } from './change-endpoint.ts';
import { listHealth } from './health.ts';
import { listDeliveries } from './list-endpoints.ts';
import { replayDelivery, testEndpoint } from './replay.ts';
import { getDelivery, listDeliveriesOfEvent } from './router.ts';

let setup: WebhookSetup;
beforeAll(async () => {
  setup = await withWebhooks(await withClinic({ clock: true }));
});
afterAll(() => setup?.stop());

const SOON = { timeout: 15_000, interval: 20 };
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'done',
    (error) => error.code,
  );

async function ended(ctx: Context, id: string, count: number) {
  const read = async () => (await listDeliveries(ctx, { id })).items;
  await expect.poll(async () => (await read()).filter(({ ended_at }) => ended_at).length, SOON).toBe(count);
  return read();
}
/** Without the headers that Node adds. */
const oursOf = (got: ReceivedWebhook, names: string[]) =>
  Object.fromEntries(Object.entries(got.headers).filter(([name]) => names.includes(name)));

describe('the request of a delivery', () => {
  test.each(['thin', 'snapshot'] as const)('is rebuilt byte for byte with its signature: %s', async (payload) => {
    const { recordEvent, endpoint, admin } = await setup.tenant();
    const receiver = await setup.receiver();
    const { id, secret } = await endpoint(receiver.url, { payload, health_data_confirmed: true });
    const patientId = newId();
    await recordEvent('patient.created', patientId, patientId, {
      first_name: 'Ada',
      tags: ['ä', '\u{1F600}'],
      none: null,
    });
    await recordEvent('patient.updated', patientId, patientId, { first_name: 'Eve' });
    await ended(admin, id, 2);
    await testEndpoint(admin, { id });
    const rolled = await rollSecret(admin, { id });
    const [first] = (await ended(admin, id, 3)).slice(-1);
    await replayDelivery(admin, { id, delivery_id: first!.id });
    // Later changes of the endpoint do not affect it.
    const deliveries = await ended(admin, id, 4);
    await updateEndpoint(admin, { id, payload: payload === 'thin' ? 'snapshot' : 'thin', health_data_confirmed: true });
    for (const { id: delivery, event_id, kind } of deliveries) {
      const shown = await getDelivery(admin, { id: delivery });
      const got = receiver.received.find(
        ({ body }) => body.id === event_id && body.replayed === (kind === 'test' ? undefined : kind === 'replay'),
      )!;
      expect(shown.request!.body).toBe(got.raw);
      expect(shown.request!.url).toBe(receiver.url);
      expect(shown.request!.headers).toEqual(oursOf(got, Object.keys(shown.request!.headers)));
      new Webhook(kind === 'replay' ? rolled.secret : secret).verify(shown.request!.body, shown.request!.headers);
      expect(shown.patient_id).toBe(kind === 'test' ? null : patientId);
    }
    expect(deliveries.map(({ kind }) => kind).sort()).toEqual(['live', 'live', 'replay', 'test']);
  });

  test('is null when nothing was sent, and when the event is no longer stored', async () => {
    const { recordEvent, endpoint, admin, ctx } = await setup.tenant();
    const receiver = await setup.receiver(() => 500);
    const lost = await endpoint(receiver.url, { chaos: { fail_first: 5 } });
    const failing = await endpoint(receiver.url);
    await recordEvent('patient.created');
    const read = async (id: string) => (await listDeliveries(admin, { id })).items[0];
    await expect.poll(async () => (await read(lost.id))?.last_error, SOON).toContain('on purpose');
    await expect.poll(async () => (await read(failing.id))?.last_status, SOON).toBe(500);
    expect((await getDelivery(admin, { id: (await read(lost.id))!.id })).request).toBeNull();
    const { id } = (await read(failing.id))!;
    expect(await getDelivery(admin, { id })).toMatchObject({ answer: 'answered 500', request: { url: receiver.url } });
    await ctx.db.webhookDelivery.updateMany({ where: { id }, data: { eventId: newId() } });
    expect((await getDelivery(admin, { id })).request).toBeNull();
  });

  test('is visible only with the access to the events, in its own tenant', async () => {
    const { recordEvent, endpoint, admin, id: tenantId } = await setup.tenant();
    const receiver = await setup.receiver();
    const { id } = await endpoint(receiver.url);
    await recordEvent('patient.created');
    const [delivery] = await ended(admin, id, 1);
    const { admin: otherTenant } = await setup.tenant();
    const nurse = asPractitioner(setup.services, { id: tenantId });
    const asked = (ctx: Context) => [
      getDelivery(ctx, delivery!),
      listHealth(ctx, { id }),
      listDeliveriesOfEvent(ctx, { id: delivery!.event_id }),
    ];
    expect(await Promise.all(asked(nurse).map(codeOf))).toEqual(['forbidden', 'forbidden', 'forbidden']);
    expect(await Promise.all(asked(otherTenant).map(codeOf))).toEqual(['not_found', 'not_found', 'done']);
    expect(await listDeliveriesOfEvent(otherTenant, { id: delivery!.event_id })).toEqual([]);
  });
});

test('the deliveries of an event show the outcome per endpoint, without its content', async () => {
  const { recordEvent, endpoint, admin } = await setup.tenant();
  const [well, ill] = [await setup.receiver(), await setup.receiver(() => 503)];
  const [first, second] = [await endpoint(well.url), await endpoint(ill.url)];
  const patientId = newId();
  await recordEvent('patient.created', patientId, patientId);
  const [delivery] = await ended(admin, first.id, 1);
  await replayDelivery(admin, { id: first.id, delivery_id: delivery!.id });
  await ended(admin, first.id, 2);
  const read = () => listDeliveriesOfEvent(admin, { id: delivery!.event_id });
  await expect
    .poll(async () => (await read()).map(({ last_status }) => last_status).sort(), SOON)
    .toEqual([204, 204, 503]);
  const shown = await read();
  expect(shown[0]).toMatchObject({ endpoint_id: first.id, endpoint_url: well.url, kind: 'replay', state: 'delivered' });
  expect(shown.find(({ endpoint_id }) => endpoint_id === second.id)).toMatchObject({ kind: 'live', state: 'waiting' });
  expect(JSON.stringify(shown)).not.toContain(patientId);
});

describe('webhook health', () => {
  test('counts each try by the hour as the list shows it, a test too', async () => {
    const { recordEvent, endpoint, admin } = await setup.tenant();
    let isWell = false;
    const receiver = await setup.receiver(() => (isWell ? 204 : 500));
    // Starts at the start of an hour, so that no third hour is touched.
    const untilNext = HOUR - (setup.services.clock.now().getTime() % HOUR);
    setup.pass(untilNext, admin.tenantId);
    const { id } = await endpoint(receiver.url);
    const idle = await endpoint(receiver.url, { event_types: ['integration'] });
    await recordEvent('patient.created', 'a');
    await testEndpoint(admin, { id });
    const counts = async () => (await listHealth(admin, {}))[0] ?? { delivered: 0, failed: 0, hours: [] };
    await expect.poll(counts, SOON).toMatchObject({ endpoint_id: id, delivered: 0, failed: 2 });
    isWell = true;
    setup.pass(HOUR, admin.tenantId);
    await recordEvent('patient.created', 'b');
    await expect.poll(counts, SOON).toMatchObject({ delivered: 2, failed: 2 });
    const { hours } = await counts();
    expect(hours).toHaveLength(24);
    expect(hours.slice(-2)).toMatchObject([
      { delivered: 0, failed: 2 },
      { delivered: 2, failed: 0 },
    ]);
    expect(Date.parse(hours[23]!.at) - Date.parse(hours[0]!.at)).toBe(23 * HOUR);
    expect(await listHealth(admin, { id: idle.id })).toEqual([]);
    setup.pass(24 * HOUR + MINUTE, admin.tenantId);
    expect(await listHealth(admin, { id })).toEqual([]);
    setup.pass(-25 * HOUR - MINUTE - untilNext, admin.tenantId);
  });

  test('agrees with the list at any moment, and not only later', async () => {
    const { recordEvent, endpoint, admin } = await setup.tenant();
    const receiver = await setup.receiver(() => 204);
    const ids = [(await endpoint(receiver.url)).id, (await endpoint(receiver.url)).id];
    const EVENTS = 40;
    /** Both in one statement, that is at one moment. */
    const read = async () => {
      const [both] = await admin.db.$queryRaw<[{ arrived: number; counted: number }]>`
        select (select count(*)::int from webhook_deliveries where tenant_id = ${admin.tenantId}::uuid
            and state = 'delivered') as arrived,
          (select coalesce(sum(delivered), 0)::int from webhook_hours where tenant_id = ${admin.tenantId}::uuid) as counted`;
      return both;
    };
    for (let n = 0; n < EVENTS; n++) await recordEvent('patient.created', `${n}`);
    const seen = [await read()];
    while (seen.at(-1)!.arrived < ids.length * EVENTS) {
      await pause(5);
      seen.push(await read());
    }
    expect(seen.filter(({ arrived, counted }) => arrived !== counted)).toEqual([]);
    await deleteEndpoint(admin, { id: ids[0]! });
    expect(await listHealth(admin, {})).toMatchObject([{ endpoint_id: ids[1], delivered: EVENTS, failed: 0 }]);
  });
});
