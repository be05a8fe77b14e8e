import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { differencesToStripe, shuffleDeliveries } from '#dev/testing/invariants/stripe-truth.ts';
import { allSent, type Lifecycle, resendAll, runLifecycles } from '#dev/testing/lifecycles.ts';
import { SEED, seededRandom } from '#dev/testing/seed.ts';
import type { Context } from '#server/core/context.ts';
import { cancelSubscription } from '../cancel/cancel-subscription.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import { syncSubscription } from './sync-subscription.ts';

/** Orders tested per lifecycle; in every second order all events have the same timestamp. */
const ORDERS = Number(process.env.TEST_ORDERS ?? 1);
/** The fast run delivers each lifecycle in one way: sequentially or concurrently. */
const LONG = Boolean(process.env.PROVE);
let billing: Clinic<'stripe'>;
let app: Context;
let lifecycles: Lifecycle[];
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
  lifecycles = await runLifecycles(billing, app);
  billing.stripe.hold(false);
}, 120_000);
afterAll(() => billing?.stop());

async function create() {
  const patient_id = await billing.patient();
  return createSubscription(app, { patient_id, price_ids: [await billing.stripe.price()] });
}

describe(`our copy is independent of the order of events (seed ${SEED})`, () => {
  it.each([0, 1, 2, 3, 4, 5])(
    'in lifecycle number %i',
    async (n) => {
      const { name, events, forget: deleteEvents, differences } = lifecycles[n]!;
      expect(events.length).toBeGreaterThan(2);
      const next = seededRandom(SEED + n);
      const orderOf = (order: number) => shuffleDeliveries(resendAll(billing, events, { tied: order % 2 === 1 }), next);
      await deleteEvents();
      expect([name, await differences()]).not.toEqual([name, []]);
      for (let order = 0; order < ORDERS && (LONG || n % 2 === 0); order++) {
        await deleteEvents();
        for (const delivery of orderOf(order)) await billing.stripe.deliver(delivery);
        expect([name, order, await differences()]).toEqual([name, order, []]);
      }
      if (!LONG && n % 2 === 0) return;
      await deleteEvents();
      await Promise.all(orderOf(ORDERS).map((delivery) => billing.stripe.deliver(delivery)));
      expect([name, 'at once', await differences()]).toEqual([name, 'at once', []]);
    },
    1_800_000,
  );
});

describe('a read that overtakes another', () => {
  it('is never overwritten by the older one', async () => {
    const subscription = await create();
    const rounds = Array.from({ length: 6 }, () => syncSubscription(app, subscription.id));
    const pay = billing.stripe.pay(subscription);
    await Promise.all([...rounds, pay]);
    await Promise.all(Array.from({ length: 6 }, () => syncSubscription(app, subscription.id)));
    expect(await differencesToStripe(billing, app, subscription.id)).toEqual([]);
    const row = await app.db.subscription.findFirstOrThrow({ where: { id: subscription.id } });
    expect(row.syncedTicket).toBeLessThanOrEqual(row.ticket);
  });

  it('emits each change once, in order', async () => {
    const subscription = await create();
    await billing.stripe.pay(subscription);
    await expect
      .poll(async () => (await getSubscription(app, subscription)).status, { timeout: 10_000 })
      .toBe('active');
    await allSent(billing);
    await cancelSubscription(app, { id: subscription.id });
    await allSent(billing);
    const events = await app.db.event.findMany({ where: { objectId: subscription.id }, orderBy: { position: 'asc' } });
    const topics = events.map(({ eventTopic }) => eventTopic);
    expect(topics[0]).toBe('created');
    expect(topics.at(-1)).toBe('canceled');
    for (const once of ['created', 'activated', 'canceled'])
      expect(topics.filter((topic) => topic === once)).toHaveLength(1);
    expect(events.at(-1)?.authorType).toBe('Application');
  });
});

it('notes without a webhook that its customer was deleted at Stripe', async () => {
  const subscription = await create();
  const where = { patientId: subscription.patient_id };
  const { customerId } = await app.db.processorCustomer.findFirstOrThrow({ where });
  billing.stripe.hold(true);
  await billing.stripe.api.customers.del(customerId, {}, { stripeAccount: billing.stripe.accountId });
  expect((await syncSubscription(app, subscription.id)).row.status).toBe('canceled');
  expect(await app.db.processorCustomer.findFirst({ where })).toMatchObject({ deletedAt: expect.any(Date) });
  billing.stripe.hold(false);
});
