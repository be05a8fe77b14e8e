import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { STRIPE_WEBHOOK_SECRET, testSettings } from '#dev/testing/services.ts';
import { serviceProgram } from '#dev/testing/start-service-process.ts';
import type { Context } from '#server/core/context.ts';
import { connectStripe } from '#server/integrations/connect-stripe.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { finishIntent, type Intent } from '#server/subscriptions/create/intent.ts';
import { applyStripeEvents } from '#server/subscriptions/stripe-events/apply-stripe-events.ts';
import { startWorker } from './worker.ts';

const SECONDS = 5;
const A_SECOND = 100;
const SUBSCRIPTIONS = 50;
const MOST_READS_A_SECOND = 25;
const TYPES = ['customer.subscription.updated', 'invoice.updated'];

let billing: Clinic<'stripe'>;
let app: Context;
const settings = testSettings({ url: '' });
/** The service's requests to Stripe. */
const calls: string[] = [];
beforeAll(async () => {
  const { ENCRYPTION_KEY, SESSION_SECRET } = settings as { ENCRYPTION_KEY: string; SESSION_SECRET: string };
  billing = await withClinic({
    stripe: true,
    env: { ENCRYPTION_KEY, SESSION_SECRET, STRIPE_REQUESTS_PER_SECOND: '25' },
  });
  app = asApplication(billing.services, billing.tenant);
  billing.services.providers
    .stripe()
    .on('request', ({ method, path }: { method: string; path: string }) => calls.push(`${method} ${path}`));
});
afterEach(() => {
  billing.stripe.hold(false);
  billing.stripe.emulator.faults.clear();
});
afterAll(() => billing?.stop());

const signed = (id: string, type = 'customer.subscription.updated') => {
  const object = type.startsWith('invoice.')
    ? { object: 'invoice', parent: { subscription_details: { subscription: id } } }
    : { object: 'subscription', id };
  const rawBody = JSON.stringify({
    id: `evt_${crypto.randomUUID()}`,
    object: 'event',
    type,
    account: billing.stripe.accountId,
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    data: { object },
  });
  const signature = billing.stripe.api.webhooks.generateTestHeaderString({
    payload: rawBody,
    secret: STRIPE_WEBHOOK_SECRET,
  });
  return { rawBody, signature };
};
const reads = () => calls.filter((call) => call.startsWith('GET '));
const readsOf = (path: RegExp) => reads().filter((call) => path.test(call)).length;
const SUBSCRIPTION = /subscriptions.sub_/;
const countPending = () => app.db.inboundEvent.count({ where: { processedAt: null } });
const create = async (trial?: string) =>
  createSubscription(app, {
    patient_id: await billing.patient(),
    price_ids: [await billing.stripe.price(trial ? { trial } : {})],
  });
const statusOf = async (id: string) => (await app.db.subscription.findFirstOrThrow({ where: { id } })).status;

describe('a webhook', () => {
  test('is acknowledged without a call to Stripe, and queues one job for its subscription', async () => {
    billing.stripe.hold(true);
    const subscription = await create();
    calls.length = 0;
    for (let n = 0; n < 5; n++) await billing.stripe.store(signed(subscription.id));
    expect(calls).toEqual([]);
    const jobs = await app.db.$queryRaw<object[]>`
      select run_at > now() + interval '1 second' as later from graphile_worker._private_jobs
      where payload->>'objectId' = ${subscription.id}`;
    expect(jobs).toEqual([{ later: true }]);
    await applyStripeEvents(billing.services, { tenantId: billing.tenant.id, objectId: subscription.id });
    expect(readsOf(SUBSCRIPTION)).toBe(1);
    expect(await countPending()).toBe(0);
  });

  test('for an invoice reads charges only for an open or new invoice, and each call takes a turn', async () => {
    billing.stripe.hold(true);
    const subscription = await create();
    const { providers } = billing.services;
    const readsAfter = async (type: string) => {
      let turns = 0;
      const stripeEventPace = async () => {
        turns += 1;
      };
      const services = { ...billing.services, providers: { ...providers, stripeEventPace } };
      await billing.stripe.store(signed(subscription.id, type));
      calls.length = 0;
      await applyStripeEvents(services, { tenantId: billing.tenant.id, objectId: subscription.id });
      expect(turns).toBe(calls.length);
      return reads().map((call) => /v1.([a-z_]+)/.exec(call)![1]);
    };
    const open = ['subscriptions', 'payment_intents', 'invoices', 'charges'];
    expect(await readsAfter('invoice.finalized')).toEqual(open);
    expect(await readsAfter('invoice.updated')).toEqual(open);
    await billing.stripe.pay(subscription);
    expect(await readsAfter('invoice.paid')).toEqual(['subscriptions', 'invoices', 'charges']);
    expect(await readsAfter('invoice.updated')).toEqual(['subscriptions', 'invoices']);
    expect(await app.db.payment.findFirst({ where: { subscriptionId: subscription.id } })).toMatchObject({
      status: 'paid',
    });
  });

  test('during the creation of its subscription is applied afterwards', async () => {
    billing.stripe.hold(true);
    const subscription = await create();
    const intent = (await app.db.subscriptionIntent.findFirstOrThrow({
      where: { subscriptionId: subscription.id },
    })) as Intent;
    const answered = await billing.services.providers
      .stripeClient(billing.services)
      .getSubscription(billing.stripe.accountId, subscription.id);
    // As if the response to the create were still in transit while the patient pays.
    await app.db.subscription.deleteMany({ where: { id: subscription.id } });
    await app.db.subscriptionIntent.updateMany({
      where: { id: intent.id },
      data: { status: 'pending', subscriptionId: null, updatedAt: new Date() },
    });
    await billing.stripe.pay(subscription);
    await billing.stripe.store(signed(subscription.id));
    await applyStripeEvents(billing.services, { tenantId: billing.tenant.id, objectId: subscription.id });
    expect(await app.db.subscription.count({ where: { id: subscription.id } })).toBe(0);
    expect(await countPending()).toBe(1);
    await finishIntent(app, { ...intent, status: 'pending' }, answered);
    expect(await statusOf(subscription.id)).toBe('incomplete');
    const [job] = await app.db.$queryRaw<{ due: boolean }[]>`
      select run_at <= now() + interval '1 second' as due from graphile_worker._private_jobs
      where payload->>'objectId' = ${subscription.id}`;
    expect(job).toEqual({ due: true });
    await applyStripeEvents(billing.services, { tenantId: billing.tenant.id, objectId: subscription.id });
    expect(await statusOf(subscription.id)).toBe('active');
    expect(await countPending()).toBe(0);
  });
});

test.runIf(process.env.PROVE)(
  `${A_SECOND} webhooks a second for ${SUBSCRIPTIONS} subscriptions cause fewer than ${MOST_READS_A_SECOND} reads a second`,
  async () => {
    billing.stripe.hold(true);
    // Half of them wait for their first payment, which takes the most calls to read.
    const prices = [await billing.stripe.price({ trial: '14' }), await billing.stripe.price()];
    const ids: string[] = [];
    for (let n = 0; n < SUBSCRIPTIONS; n++) {
      const created = { patient_id: await billing.patient(), price_ids: [prices[n % 2]!] };
      ids.push((await createSubscription(app, created)).id);
    }
    await app.db.inboundEvent.deleteMany();
    const stopWorker = await startWorker(billing.services);
    try {
      await pause(3000);
      calls.length = 0;
      const startedAt = performance.now();
      const sent: Promise<void>[] = [];
      for (let n = 0; n < SECONDS * A_SECOND; n++) {
        sent.push(
          billing.stripe.store(signed(ids[n % SUBSCRIPTIONS]!, TYPES[Math.floor(n / SUBSCRIPTIONS) % TYPES.length])),
        );
        await pause(Math.max(0, startedAt + (n + 1) * (1000 / A_SECOND) - performance.now()));
      }
      await Promise.all(sent);
      const seconds = (performance.now() - startedAt) / 1000;
      const during = reads().length;
      await expect.poll(countPending, { timeout: 30_000 }).toBe(0);
      console.info(
        `webhooks: ${SECONDS * A_SECOND} in ${seconds.toFixed(1)} s, ${during} reads during that time ` +
          `(${(during / seconds).toFixed(1)} a second), ${reads().length} in all`,
      );
      expect(during / seconds).toBeLessThan(MOST_READS_A_SECOND);
      expect(readsOf(SUBSCRIPTION)).toBeGreaterThanOrEqual(SUBSCRIPTIONS);
      expect(readsOf(/invoices/)).toBeGreaterThanOrEqual(SUBSCRIPTIONS);
    } finally {
      await stopWorker();
    }
  },
  120_000,
);

test.runIf(process.env.PROVE)(
  'a webhook accepted by a process that is then killed is applied by the next process',
  async () => {
    billing.stripe.hold(true);
    const program = await serviceProgram();
    try {
      const env = {
        ...settings,
        DATABASE_URL: billing.database.url,
        DATABASE_CONNECTIONS: '10',
        STRIPE_API_URL: billing.stripe.emulator.url,
        PORT: '0',
        LOG_LEVEL: 'warn',
      };
      const subscription = await create();
      await billing.stripe.pay(subscription);
      expect(await statusOf(subscription.id)).toBe('incomplete');
      const first = await program.start(env);
      const { rawBody, signature } = signed(subscription.id);
      const response = await fetch(`${first.url}/api/webhooks/stripe`, {
        method: 'POST',
        headers: { 'stripe-signature': signature },
        body: rawBody,
      });
      first.kill('SIGKILL');
      expect(response.status).toBe(200);
      await first.ended;
      expect(await statusOf(subscription.id)).toBe('incomplete');
      await program.start(env);
      await expect.poll(() => statusOf(subscription.id), { timeout: 40_000, interval: 250 }).toBe('active');
    } finally {
      await program.stop();
    }
  },
  90_000,
);

test('events of a deauthorized account are closed without further failures', async () => {
  billing.stripe.hold(true);
  const subscription = await create();
  await app.db.inboundEvent.deleteMany();
  await billing.stripe.store(signed(subscription.id));
  await billing.stripe.store(signed('sub_neverseen'));
  await billing.stripe.control('trigger', { name: 'deauthorize', account: billing.stripe.accountId });
  for (const objectId of [subscription.id, 'sub_neverseen'])
    await applyStripeEvents(billing.services, { tenantId: billing.tenant.id, objectId });
  expect(await countPending()).toBe(0);
  const admin = asAdmin(billing.services, billing.tenant);
  expect(await admin.db.integration.findFirst()).toMatchObject({ status: 'disconnected' });
  // Connected again, while old events still arrive.
  expect((await connectStripe(admin)).account_id).not.toBe(billing.stripe.accountId);
  await billing.stripe.store(signed(subscription.id));
  await billing.stripe.store(signed('sub_neverseen'));
  for (const objectId of [subscription.id, 'sub_neverseen'])
    await applyStripeEvents(billing.services, { tenantId: billing.tenant.id, objectId });
  expect(await countPending()).toBe(0);
  expect((await admin.db.integration.findFirst())?.status).not.toBe('disconnected');
});
