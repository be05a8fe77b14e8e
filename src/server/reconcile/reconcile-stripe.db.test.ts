import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { differencesToStripe } from '#dev/testing/invariants/stripe-truth.ts';
import { reconcileFor } from '#dev/testing/reconciling.ts';
import type { Context } from '#server/core/context.ts';
import { connectStripe } from '#server/integrations/connect-stripe.ts';
import { listIntegrations } from '#server/integrations/list-integrations.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { reconcileAll } from './reconcile-all.ts';
import { queueStep, reconcileStripe } from './reconcile-stripe.ts';

const LONG = Boolean(process.env.PROVE);
/** The fast run covers only the steps of one comparison, which starts immediately. */
const BOUND = LONG ? 1 : 4 / 12;

let billing: Clinic<'stripe'>;
let app: Context;
let admin: Context;
let tenantId: string;
/** Each reconcile here starts later than the one before. */
let now = new Date();
const calls: string[] = [];
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
  admin = asAdmin(billing.services, billing.tenant);
  tenantId = billing.tenant.id;
  const stripe = billing.services.providers.stripe();
  stripe.on('request', ({ method, path }: { method: string; path: string }) => calls.push(`${method} ${path}`));
});
afterEach(() => {
  billing.stripe.hold(false);
  billing.stripe.emulator.faults.clear();
});
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
async function create(options: { trial?: string } = {}) {
  const patient_id = await billing.patient();
  return createSubscription(app, { patient_id, price_ids: [await billing.stripe.price(options)] });
}
const rowOf = (id: string) => app.db.subscription.findFirstOrThrow({ where: { id } });
const stateOf = () => app.db.stripeReconcile.findFirstOrThrow({ where: { accountId: billing.stripe.accountId } });
const repairsOf = (objectId: string) =>
  app.db.stripeRepair.findMany({ where: { objectId }, orderBy: { createdAt: 'asc' } });
async function bound(bounds = BOUND) {
  if (!LONG) await app.db.stripeReconcile.updateMany({ data: { passStartedAt: null } });
  now = await reconcileFor(billing.services, tenantId, { from: now, bounds });
}
const step = (services = billing.services) => reconcileStripe({ ...services, clock: { now: () => now } }, { tenantId });
const topics = async () =>
  (await app.db.event.findMany({ where: { eventType: 'integration' }, orderBy: { position: 'asc' } })).map(
    ({ eventTopic }) => eventTopic,
  );

describe('webhooks that have stopped', () => {
  it('degrade the integration once the bound is over, and recover it when one arrives', async () => {
    const subscription = await create({ trial: '9' });
    await bound();
    const before = await topics();
    billing.stripe.hold(true);
    await billing.stripe.api.subscriptions.update(subscription.id, { cancel_at_period_end: true }, on());
    await bound(LONG ? 2 : 1.25);
    const [stripe] = await listIntegrations(admin);
    expect(stripe).toMatchObject({ status: 'degraded', findings: [{ code: 'webhooks_silent' }] });
    expect((await topics()).slice(before.length)).toEqual(['degraded']);
    await bound();
    expect((await topics()).slice(before.length)).toEqual(['degraded']);
    billing.stripe.hold(false);
    await billing.stripe.api.subscriptions.update(subscription.id, { cancel_at_period_end: false }, on());
    await expect
      .poll(() => app.db.inboundEvent.count({ where: { foundBy: null, objectId: subscription.id } }), {
        timeout: 10_000,
      })
      .toBeGreaterThan(1);
    // It was stored with the real time; the clock of the comparison is ahead of it.
    await app.db.inboundEvent.updateMany({ where: { foundBy: null }, data: { receivedAt: now } });
    await bound();
    expect((await listIntegrations(admin))[0]).toMatchObject({ status: 'connected', findings: [] });
    expect((await topics()).slice(before.length)).toEqual(['degraded', 'recovered']);
  });
});

describe('a change of a subscription without a webhook', () => {
  it('is applied within the bound and recorded as a repair, for a cancellation at Stripe', async () => {
    const subscription = await create({ trial: '9' });
    await bound();
    billing.stripe.hold(true);
    await billing.stripe.api.subscriptions.cancel(subscription.id, {}, on());
    await bound();
    expect(await differencesToStripe(billing, app, subscription.id)).toEqual([]);
    expect(await rowOf(subscription.id)).toMatchObject({ status: 'canceled' });
    expect(await repairsOf(subscription.id)).toMatchObject([{ foundBy: 'events', what: 'status:canceled' }]);
    expect(await stateOf()).toMatchObject({ lastError: null, runner: null });
  });

  it('is found by comparison when Stripe’s list of events lacks it', async () => {
    const stored = await create({ trial: '9' });
    const ended = await create({ trial: '9' });
    const adopted = await create({ trial: '9' });
    await bound();
    billing.stripe.hold(true);
    await billing.stripe.api.subscriptions.update(stored.id, { cancel_at_period_end: true }, on());
    await billing.stripe.api.subscriptions.cancel(ended.id, {}, on());
    await app.db.subscription.deleteMany({ where: { id: adopted.id } });
    await app.db.subscriptionIntent.deleteMany({ where: { subscriptionId: adopted.id } });
    // As if the events were older than Stripe's retention.
    const newest = await billing.stripe.api.events.list({ limit: 1 }, on());
    const last = newest.data[0]!.id;
    await app.db.stripeReconcile.updateMany({ data: { lastEventId: last, previousEventId: last } });
    await bound();
    for (const { id } of [stored, ended, adopted]) expect(await differencesToStripe(billing, app, id)).toEqual([]);
    expect(await repairsOf(stored.id)).toMatchObject([{ foundBy: 'comparison', what: 'details' }]);
    expect(await repairsOf(ended.id)).toMatchObject([{ foundBy: 'comparison', what: 'status:canceled' }]);
    expect(await repairsOf(adopted.id)).toMatchObject([{ foundBy: 'comparison', what: 'adopted' }]);
  });

  it('adopts a patient’s subscription from Stripe’s dashboard, and lists one of an unknown customer', async () => {
    const subscription = await create({ trial: '9' });
    await bound();
    billing.stripe.hold(true);
    const { customerId } = await app.db.processorCustomer.findFirstOrThrow({
      where: { patientId: subscription.patient_id },
    });
    const price = await billing.stripe.price({ trial: undefined });
    const make = (customer: string) =>
      billing.stripe.api.subscriptions.create({ customer, items: [{ price }], trial_period_days: 5 }, on());
    const unknownCustomer = await billing.stripe.api.customers.create({ email: 'ben@example.test' }, on());
    const [adopted, unknown] = [await make(customerId), await make(unknownCustomer.id)];
    await bound();
    expect(await rowOf(adopted.id)).toMatchObject({ patientId: subscription.patient_id, status: 'trialing' });
    const created = await app.db.event.findMany({ where: { objectId: adopted.id, eventTopic: 'created' } });
    expect(created).toHaveLength(1);
    expect(await app.db.subscription.count({ where: { id: unknown.id } })).toBe(0);
    const [shown] = await listIntegrations(admin);
    expect(shown!.sync).toMatchObject({
      last_webhook_at: expect.any(String),
      last_reconcile_at: expect.any(String),
      compared_at: expect.any(String),
      answered: true,
      bound_seconds: 60,
      repairs: expect.arrayContaining([expect.objectContaining({ object_id: adopted.id, what: 'adopted' })]),
      unknown: [{ id: unknown.id, customer_id: unknownCustomer.id, name: 'Care plan' }],
    });
    expect(await app.db.unknownSubscription.findMany()).toMatchObject([
      { id: unknown.id, customerId: unknownCustomer.id },
    ]);
    await billing.stripe.api.subscriptions.cancel(unknown.id, {}, on());
    await bound();
    expect(await app.db.unknownSubscription.count()).toBe(0);
  });

  it('is no repair when its webhook was only slow', async () => {
    const subscription = await create({ trial: '9' });
    await bound();
    billing.stripe.hold(true);
    const from = billing.stripe.deliveries.length;
    await billing.stripe.api.subscriptions.update(subscription.id, { cancel_at_period_end: true }, on());
    await expect.poll(() => billing.stripe.deliveries.length, { timeout: 10_000 }).toBeGreaterThan(from);
    await step();
    expect((await rowOf(subscription.id)).cancelAtPeriodEnd).toBe(false);
    for (const delivery of billing.stripe.deliveries.slice(from)) await billing.stripe.deliver(delivery);
    await bound();
    expect((await rowOf(subscription.id)).cancelAtPeriodEnd).toBe(true);
    expect(await repairsOf(subscription.id)).toEqual([]);
  });
});

describe('a step', () => {
  const key = () => `reconcile_stripe:${tenantId}`;
  const queued = () =>
    app.db.$queryRaw<object[]>`select attempts from graphile_worker._private_jobs where key = ${key()}`;

  it('makes calls for lists of a hundred, not for single objects', async () => {
    await bound();
    calls.length = 0;
    await bound(1);
    const lists = calls.filter((call) =>
      /^GET \/v1\/(events|subscriptions|prices|accounts|refunds|disputes)/.test(call),
    );
    expect(calls.filter((call) => /subscriptions\/sub_/.test(call))).toEqual([]);
    expect(lists).toHaveLength(calls.length);
    expect(calls.filter((call) => call.startsWith('GET /v1/subscriptions?')).length).toBeLessThanOrEqual(2);
    expect(calls.length).toBeLessThan(28);
  });

  it('is paced for each call, also for a second page of prices and for an inspection of the account', async () => {
    await expect.poll(async () => (await listIntegrations(admin))[0]!.status).toBe('connected');
    await step();
    billing.stripe.hold(true);
    const id = await billing.stripe.price();
    const { price } = billing.stripe.emulator.world.state.accounts[billing.stripe.accountId]!.objects;
    const copies = Array.from({ length: 100 }, (_, n) => `price_copy${n}`);
    for (const copy of copies) price[copy] = { ...structuredClone(price[id]!), id: copy };
    // The return of webhooks is noted with an inspection of the account.
    await app.db.stripeReconcile.updateMany({ data: { passStartedAt: null, silentSince: now } });
    let turns = 0;
    const stripePace = async () => {
      turns += 1;
    };
    const { providers } = billing.services;
    calls.length = 0;
    await step({ ...billing.services, providers: { ...providers, stripePace } });
    for (const copy of copies) delete price[copy];
    expect((await stateOf()).silentSince).toBeNull();
    expect(calls.filter((call) => /v1.accounts/.test(call))).toHaveLength(2);
    expect(calls.filter((call) => /v1.prices.*starting_after/.test(call))).toHaveLength(3);
    expect(turns).toBe(calls.length);
  });

  it('reads enough pages to end the pass in time when Stripe also lists expired subscriptions', async () => {
    const { id } = await create({ trial: '9' });
    const { attentionFrom: _, ...row } = await rowOf(id);
    const { subscription } = billing.stripe.emulator.world.state.accounts[billing.stripe.accountId]!.objects;
    const status = 'incomplete_expired';
    const ids = Array.from({ length: 800 }, (_, n) => `sub_expired${n}`);
    await app.db.subscription.createMany({ data: ids.map((id) => ({ ...row, id, status })) as never });
    const listed = ids.slice(0, 100);
    for (const id of listed) subscription[id] = { ...structuredClone(subscription[row.id]!), id, status };
    await app.db.stripeReconcile.updateMany({ data: { passStartedAt: null } });
    await step();
    expect(await stateOf()).toMatchObject({ passPages: 2, passEndedAt: expect.any(Date) });
    for (const id of listed) delete subscription[id];
    await app.db.subscription.deleteMany({ where: { status } });
  });

  it('has one runner, is continued after a crash, and is always queued again', async () => {
    await app.db.stripeReconcile.updateMany({
      data: { runner: crypto.randomUUID(), leasedUntil: new Date(now.getTime() + 20_000) },
    });
    calls.length = 0;
    await step();
    expect(calls).toEqual([]);
    now = new Date(now.getTime() + 31_000);
    await step();
    expect(calls.length).toBeGreaterThan(0);
    expect(await queued()).toHaveLength(1);
  });

  it('that fails with an internal error is followed by the next one', async () => {
    await app.db.$executeRaw`delete from graphile_worker._private_jobs where key = ${key()}`;
    await app.db.stripeReconcile.updateMany({ data: { passStartedAt: now, passEndedAt: null } });
    const data = { accountId: billing.stripe.accountId, plans: 'broken' };
    await app.db.providerSnapshot.updateMany({ where: { kind: 'plans' }, data: { data, fetchedAt: now } });
    await step();
    await app.db.providerSnapshot.deleteMany({ where: { kind: 'plans' } });
    expect(await stateOf()).toMatchObject({ lastError: expect.stringMatching(/^internal_error/), runner: null });
    expect(await queued()).toHaveLength(1);
  });

  it('whose job has failed permanently is queued again', async () => {
    await queueStep(app.db, tenantId, now);
    await app.db.$executeRaw`update graphile_worker._private_jobs set attempts = max_attempts where key = ${key()}`;
    await reconcileAll(billing.services);
    expect(await queued()).toEqual([{ attempts: 0 }]);
  });

  it('continues where it was after Stripe was down', async () => {
    const subscription = await create({ trial: '9' });
    await bound();
    billing.stripe.hold(true);
    await billing.stripe.api.subscriptions.cancel(subscription.id, {}, on());
    billing.stripe.emulator.faults.add({ match: { path: '/v1/*' }, kind: '503', times: 1000 });
    await step();
    await step();
    expect(await stateOf()).toMatchObject({ lastError: expect.stringContaining('Stripe'), runner: null });
    billing.stripe.emulator.faults.clear();
    await bound();
    expect((await rowOf(subscription.id)).status).toBe('canceled');
    expect((await stateOf()).lastError).toBeNull();
  });
});

describe('changes at Stripe outside this service', () => {
  const findings = async () => (await listIntegrations(admin))[0]!.findings.map(({ code }) => code);

  it('report an archived price while a subscription has it', async () => {
    const subscription = await create({ trial: '9' });
    await billing.stripe.api.prices.update(subscription.price_ids[0]!, { active: false }, on());
    await bound();
    expect(await findings()).toContain('price_archived');
    await billing.stripe.api.subscriptions.cancel(subscription.id, {}, on());
    await bound();
    await bound();
    expect(await findings()).not.toContain('price_archived');
  });

  it('end the subscriptions of a deleted customer; the next subscription creates another customer', async () => {
    const subscription = await create({ trial: '9' });
    await bound();
    billing.stripe.hold(true);
    const where = { patientId: subscription.patient_id };
    const { customerId } = await app.db.processorCustomer.findFirstOrThrow({ where });
    await billing.stripe.api.customers.del(customerId, {}, on());
    await bound();
    await bound();
    expect(await rowOf(subscription.id)).toMatchObject({ status: 'canceled' });
    expect((await app.db.processorCustomer.findFirstOrThrow({ where })).deletedAt).not.toBeNull();
    expect(await findings()).toContain('customers_deleted');
    const second = await createSubscription(app, {
      patient_id: subscription.patient_id,
      price_ids: subscription.price_ids,
    });
    // The trial was used before.
    expect(second.status).toBe('incomplete');
    const now = await app.db.processorCustomer.findFirstOrThrow({ where });
    expect(now).toMatchObject({ deletedAt: null });
    expect(now.customerId).not.toBe(customerId);
  });

  it('allow a new subscription after the customer was deleted without a webhook', async () => {
    const subscription = await create({ trial: '9' });
    billing.stripe.hold(true);
    const where = { patientId: subscription.patient_id };
    const { customerId } = await app.db.processorCustomer.findFirstOrThrow({ where });
    await billing.stripe.api.customers.del(customerId, {}, on());
    const other = await billing.stripe.price({ trial: '3' });
    const second = await createSubscription(app, { patient_id: subscription.patient_id, price_ids: [other] });
    expect(second.status).toBe('trialing');
  });

  it('disconnect an account that revoked its access, and report its subscriptions afterwards', async () => {
    const subscription = await create({ trial: '9' });
    await bound();
    billing.stripe.hold(true);
    await billing.stripe.control('trigger', { name: 'deauthorize', account: billing.stripe.accountId });
    await bound();
    expect((await listIntegrations(admin))[0]).toMatchObject({
      status: 'disconnected',
      findings: [{ code: 'access_revoked', message: expect.any(String) }],
    });
    expect((await connectStripe(admin)).account_id).not.toBe(billing.stripe.accountId);
    expect(await findings()).toContain('former_account');
    expect((await rowOf(subscription.id)).status).toBe('trialing');
  });
});
