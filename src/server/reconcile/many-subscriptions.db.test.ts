import { afterAll, beforeAll, expect, test } from 'vitest';
import { asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { reconcileFor } from '#dev/testing/reconciling.ts';
import type { Context } from '#server/core/context.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';

/** `PROVE=1` runs the long form at the request rate of a sandbox. */
const LONG = process.env.PROVE === '1';
const MANY = LONG ? 10_000 : 300;
const CHANGED = 20;
/** Stripe's rate limit in test mode, in requests per second. */
const PER_SECOND = LONG ? 25 : 1000;
const MOST_MEGABYTES = 200;

let billing: Clinic<'stripe'>;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true, env: { STRIPE_REQUESTS_PER_SECOND: String(PER_SECOND) } });
  app = asApplication(billing.services, billing.tenant);
}, 120_000);
afterAll(() => billing?.stop());

/** Creates the patients with the same plan, at Stripe and here. */
async function subscribeMany(): Promise<string[]> {
  billing.stripe.hold(true);
  const price_ids = [await billing.stripe.price({ trial: '30' })];
  const { id } = await createSubscription(app, { patient_id: await billing.patient(), price_ids });
  const { objects } = billing.stripe.emulator.world.state.accounts[billing.stripe.accountId]!;
  const subscription = objects.subscription[id]!;
  const customer = objects.customer[subscription.customer]!;
  const idOf = (kind: string, n: number) => `${kind}_many${String(n).padStart(6, '0')}`;
  for (let n = 1; n <= MANY; n++) {
    objects.customer[idOf('cus', n)] = { ...customer, id: idOf('cus', n), name: 'Ada Example', email: null };
    objects.subscription[idOf('sub', n)] = {
      ...structuredClone(subscription),
      id: idOf('sub', n),
      customer: idOf('cus', n),
      metadata: {},
    };
  }
  return Array.from({ length: MANY }, (_, n) => idOf('sub', n + 1));
}

async function storeMany(ids: string[]): Promise<void> {
  const { tenantId, db } = app;
  const first = await db.subscription.findFirstOrThrow();
  const { id: _, patientId: __, attentionFrom: ___, ...same } = first;
  const patients = ids.map(() => crypto.randomUUID());
  const names = { tenantId, firstName: 'Ada', lastName: 'Example' };
  const BATCH = 1000;
  for (let from = 0; from < ids.length; from += BATCH) {
    const some = ids.slice(from, from + BATCH).map((id, n) => ({ id, patientId: patients[from + n]! }));
    await db.patient.createMany({ data: some.map(({ patientId }) => ({ ...names, id: patientId })) });
    await db.processorCustomer.createMany({
      data: some.map(({ id, patientId }) => ({
        tenantId,
        patientId,
        accountId: billing.stripe.accountId,
        customerId: id.replace('sub_', 'cus_'),
      })),
    });
    const rows = some.map((one) => ({ ...same, ...one, checkedAt: null }));
    await db.subscription.createMany({ data: rows as never });
  }
}

test(
  `${MANY} subscriptions are compared by lists of a hundred, with at most a tenth of Stripe’s rate limit`,
  async () => {
    const ids = await subscribeMany();
    await storeMany(ids);
    const changed = ids.filter((_, n) => n % Math.floor(MANY / CHANGED) === 0).slice(0, CHANGED);
    for (const id of changed) {
      const { objects } = billing.stripe.emulator.world.state.accounts[billing.stripe.accountId]!;
      objects.subscription[id]!.status = 'canceled';
    }
    const at: number[] = [];
    let readings = 0;
    billing.services.providers.stripe().on('request', ({ path }: { path: string }) => {
      // Jobs for single objects are spaced where they are queued.
      if (/subscriptions\/sub_|customers\/cus_/.test(path)) readings += 1;
      else at.push(performance.now());
    });
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 50);
    const begun = performance.now();
    await reconcileFor(billing.services, billing.tenant.id, { from: new Date() });
    const seconds = (performance.now() - begun) / 1000;
    clearInterval(watch);
    const busiest = Math.max(...at.map((from) => at.filter((one) => one >= from && one < from + 10_000).length)) / 10;
    const megabytes = (peak - before) / 2 ** 20;
    console.info(
      `reconcile: ${MANY} subscriptions, ${at.length} calls and ${readings} readings in ${seconds.toFixed(1)} s, ` +
        `at most ${busiest.toFixed(1)} calls a second (over ten), ${megabytes.toFixed(0)} MB more with the emulator's own`,
    );
    expect(await app.db.subscription.count({ where: { checkedAt: null } })).toBe(0);
    const left = await app.db.subscription.count({ where: { id: { in: changed }, status: 'trialing' } });
    expect(left).toBe(0);
    expect(at.length).toBeLessThan(2 * Math.ceil(MANY / 100) + 40);
    expect(readings).toBeLessThanOrEqual(2 * CHANGED);
    if (LONG) expect(busiest).toBeLessThanOrEqual(PER_SECOND / 10 + 0.1);
    if (LONG) expect(megabytes).toBeLessThan(MOST_MEGABYTES);
  },
  LONG ? 600_000 : 120_000,
);
