import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { type WebhookSetup, withWebhooks } from '#dev/testing/webhook-setup.ts';
import { DAY, MINUTE, SECOND } from '#server/core/clock.ts';
import { updateEndpoint } from './change-endpoint.ts';
import { getEndpoint, listDeliveries } from './list-endpoints.ts';
import { replayDelivery } from './replay.ts';

/** `PROVE=1` runs the long form. */
const ROUNDS = process.env.PROVE ? 3 : 1;

let setup: WebhookSetup;
beforeAll(async () => {
  setup = await withWebhooks(await withClinic({ clock: true }));
});
afterAll(() => setup?.stop());

const SOON = { timeout: 20_000, interval: 20 };

/** An endpoint whose receiver rejects the events of one object until `isWell` is set. */
async function startPartly() {
  const tenant = await setup.tenant();
  const state = { isWell: false };
  const receiver = await setup.receiver(({ body }) => (body.object_id === 'poison' && !state.isWell ? 500 : 204));
  const { id } = await tenant.endpoint(receiver.url);
  const since = async () => (await getEndpoint(tenant.admin, { id })).failing_since;
  /** Delivers another event and waits until it is counted. */
  const succeed = async () => {
    const before = receiver.accepted.length;
    const counted = async () =>
      (await tenant.ctx.db.webhookHour.findMany({ where: { endpointId: id } })).reduce(
        (sum, row) => sum + row.delivered,
        0,
      );
    const delivered = await counted();
    await tenant.recordEvent('patient.updated', 'good');
    await expect.poll(() => receiver.accepted.length, SOON).toBe(before + 1);
    await expect.poll(counted, SOON).toBe(delivered + 1);
  };
  return { ...tenant, id, receiver, state, since, succeed };
}

test('an endpoint is failing from the first failure until everything has arrived', async () => {
  const { recordEvent, admin, id, receiver, state, since, succeed } = await startPartly();
  await succeed();
  expect(await since()).toBeNull();
  await recordEvent('patient.updated', 'poison');
  await expect.poll(since, SOON).not.toBeNull();
  const first = await since();
  const [row] = (await listDeliveries(admin, { id, state: 'waiting' })).items;
  expect(first).toBe(row!.last_tried_at);
  for (let round = 0; round < ROUNDS; round += 1) {
    await succeed();
    expect(await since()).toBe(first);
    const before = receiver.received.length;
    setup.pass(6 * MINUTE, admin.tenantId);
    await expect.poll(() => receiver.received.length, SOON).toBe(before + 1);
  }
  expect(await since()).toBe(first);
  state.isWell = true;
  setup.pass(35 * MINUTE, admin.tenantId);
  await expect.poll(since, SOON).toBeNull();
  expect((await getEndpoint(admin, { id })).status).toBe('ok');
}, 120_000);

test('a delivery that was given up keeps the endpoint failing until it is replayed', async () => {
  const { recordEvent, admin, id, ctx, state, since, succeed } = await startPartly();
  await recordEvent('patient.updated', 'poison');
  await expect.poll(since, SOON).not.toBeNull();
  const first = await since();
  await ctx.db.webhookDelivery.updateMany({ where: { objectId: 'poison' }, data: { attempts: 9 } });
  setup.pass(6 * SECOND, admin.tenantId);
  await expect.poll(async () => (await listDeliveries(admin, { id, state: 'parked' })).items.length, SOON).toBe(1);
  await succeed();
  expect(await since()).toBe(first);
  state.isWell = true;
  const [parked] = (await listDeliveries(admin, { id, state: 'parked' })).items;
  await replayDelivery(admin, { id, delivery_id: parked!.id });
  await expect.poll(since, SOON).toBeNull();
}, 120_000);

test('an endpoint is switched off after five days only when nothing arrives', async () => {
  const { recordEvent, admin, id, ctx, state, since, succeed } = await startPartly();
  await recordEvent('patient.updated', 'poison');
  await expect.poll(since, SOON).not.toBeNull();
  await succeed();
  const failedAgain = async () => {
    const failed = async () =>
      (await ctx.db.webhookHour.findMany({ where: { endpointId: id } })).reduce((sum, row) => sum + row.failed, 0);
    const before = await failed();
    await ctx.db.webhookDelivery.updateMany({ where: { state: 'waiting' }, data: { nextTryAt: new Date(0) } });
    setup.pass(0, admin.tenantId);
    await expect.poll(failed, SOON).toBe(before + 1);
  };
  const longAgo = new Date(setup.services.clock.now().getTime() - 5 * DAY - MINUTE);
  await ctx.db.webhookEndpoint.updateMany({ data: { failingSince: longAgo } });
  await failedAgain();
  await succeed();
  expect(await getEndpoint(admin, { id })).toMatchObject({ enabled: true, status: 'failing' });
  await ctx.db.webhookHour.updateMany({ where: { endpointId: id }, data: { delivered: 0 } });
  await failedAgain();
  await expect.poll(async () => (await getEndpoint(admin, { id })).off_because, SOON).toBe('failing');
  state.isWell = true;
  expect(await updateEndpoint(admin, { id, enabled: true })).toMatchObject({ status: 'ok' });
}, 120_000);
