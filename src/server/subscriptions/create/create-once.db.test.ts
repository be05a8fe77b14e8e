import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asApplication, withKey as keyed } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { withProviderTimeout } from '#dev/testing/services.ts';
import type { FaultKind } from '#emulators/core/faults.ts';
import type { Context } from '#server/core/context.ts';
import { createSubscription } from './create-subscription.ts';
import { resolveSubscription } from './intent.ts';

const LONG = Boolean(process.env.PROVE);
/** A lost response: in the fast run mostly a reset connection, which takes no waiting. */
const LOST: { before: FaultKind; after: FaultKind; code: string } = LONG
  ? { before: 'timeout_before', after: 'timeout_after', code: 'provider_timeout' }
  : { before: 'reset_before', after: 'reset_after', code: 'provider_unavailable' };
let billing: Clinic<'stripe'>;
let app: Context;
let price: string;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
  price = await billing.stripe.price();
});
afterEach(() => billing.stripe.emulator.faults.clear());
afterAll(() => billing?.stop());

/** The same application with an Idempotency-Key. */
const withKey = (key: string) => keyed(app, key);
const create = (patient_id: string, ctx: Context = app) => createSubscription(ctx, { patient_id, price_ids: [price] });
/** A create request whose response from Stripe is lost. */
const createWithTimeout = (patient_id: string, ctx: Context = app) => create(patient_id, withProviderTimeout(ctx));
const at = { stripeAccount: () => billing.stripe.accountId };
async function atStripe(patientId: string) {
  const customers = await billing.stripe.api.customers.list({ limit: 100 }, { stripeAccount: at.stripeAccount() });
  const ownCustomers = customers.data.filter(({ metadata }) => metadata.patient_id === patientId);
  const subscriptions = await Promise.all(
    ownCustomers.map(({ id }) =>
      billing.stripe.api.subscriptions.list({ customer: id, status: 'all' }, { stripeAccount: at.stripeAccount() }),
    ),
  );
  return {
    customers: ownCustomers.length,
    subscriptions: subscriptions.flatMap(({ data }) => data.map(({ id }) => id)),
  };
}
const fault = (kind: FaultKind, times: number, path = '/v1/subscriptions', method = 'POST') =>
  billing.stripe.emulator.faults.add({ match: { method, path }, kind, times, holdMs: 20_000 });
const rowsOf = (patientId: string) => app.db.subscription.findMany({ where: { patientId } });

describe('concurrent creates', () => {
  it('make one customer', async () => {
    const patient = await billing.patient();
    const prices = await Promise.all(Array.from({ length: 8 }, () => billing.stripe.price()));
    const subscriptions = await Promise.all(
      prices.map((one, n) => createSubscription(withKey(`customer-${n}`), { patient_id: patient, price_ids: [one] })),
    );
    expect(new Set(subscriptions.map(({ id }) => id)).size).toBe(8);
    expect(await atStripe(patient)).toMatchObject({ customers: 1 });
    expect(await app.db.processorCustomer.count({ where: { patientId: patient } })).toBe(1);
  });

  it('with one Idempotency-Key make one subscription', async () => {
    const patient = await billing.patient();
    const subscriptions = await Promise.all(Array.from({ length: 8 }, () => create(patient, withKey('one-key'))));
    expect(new Set(subscriptions.map(({ id }) => id)).size).toBe(1);
    expect((await atStripe(patient)).subscriptions).toHaveLength(1);
    expect(subscriptions.every((one) => one.latest_invoice?.payment_intent?.client_secret)).toBe(true);
    expect(await app.db.event.count({ where: { objectId: subscriptions[0]!.id, eventTopic: 'created' } })).toBe(1);
  });
});

describe('an Idempotency-Key', () => {
  it('returns the same subscription later, and is scoped to its credential', async () => {
    const patient = await billing.patient();
    const first = await create(patient, withKey('again'));
    expect((await create(patient, withKey('again'))).id).toBe(first.id);
    const other = asApplication(billing.services, billing.tenant);
    const anotherCaller = keyed(other, 'again');
    const duplicateInput = { patient_id: patient, price_ids: [price], allow_duplicate: true };
    expect((await createSubscription(anotherCaller, duplicateInput)).id).not.toBe(first.id);
  });

  it('with another request body is rejected', async () => {
    await create(await billing.patient(), withKey('mine'));
    await expect(create(await billing.patient(), withKey('mine'))).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
  });
});

describe('a failure of Stripe', () => {
  const cases: [FaultKind, string][] = [
    ['timeout_before', 'provider_timeout'],
    ['timeout_after', 'provider_timeout'],
    ['reset_before', 'provider_unavailable'],
    ['reset_after', 'provider_unavailable'],
    ['429', 'provider_unavailable'],
    ['500', 'provider_error'],
    ['503', 'provider_unavailable'],
    ['slow_drip', 'provider_timeout'],
    ['truncated', 'provider_unavailable'],
    ['wrong_schema', 'provider_error'],
  ];

  // The fast run covers each kind once, without waiting for the timeout.
  const atCreate = LONG ? cases : cases.filter(([kind]) => kind !== 'timeout_before');
  it.each(atCreate)(
    '%s at create returns %s, and a retry with the same key creates exactly one',
    async (kind, code) => {
      const patient = await billing.patient();
      const ctx = withKey(`fault-${kind}`);
      fault(kind, 3);
      await expect(createWithTimeout(patient, ctx)).rejects.toMatchObject({
        code,
        faults: [{ detail: expect.stringContaining('Stripe'), meta: { provider: 'stripe', retry_safe: true } }],
      });
      billing.stripe.emulator.faults.clear();
      const subscription = await create(patient, ctx);
      expect(subscription).toMatchObject({ status: 'incomplete', next_action: 'payment' });
      expect(subscription.latest_invoice?.payment_intent?.client_secret).toBeTruthy();
      expect(await atStripe(patient)).toEqual({ customers: 1, subscriptions: [subscription.id] });
      expect(await rowsOf(patient)).toHaveLength(1);
    },
  );

  const few = cases.filter(([kind]) => ['timeout_before', 'reset_before', '500'].includes(kind));
  it.each(LONG ? cases : few)('%s at the customer is safe to retry, too', async (kind) => {
    const patient = await billing.patient();
    const ctx = withKey(`customer-${kind}`);
    fault(kind, 3, '/v1/customers');
    await expect(createWithTimeout(patient, ctx)).rejects.toMatchObject({
      status: expect.toSatisfy((s: number) => s > 500),
    });
    billing.stripe.emulator.faults.clear();
    const subscription = await create(patient, ctx);
    expect(await atStripe(patient)).toEqual({ customers: 1, subscriptions: [subscription.id] });
  });

  it('returns retry_safe false without a key', async () => {
    fault(LOST.before, 3);
    await expect(createWithTimeout(await billing.patient())).rejects.toMatchObject({
      faults: [{ detail: expect.stringContaining('Idempotency-Key'), meta: { retry_safe: false } }],
    });
  });

  it('is returned when plans cannot be read', async () => {
    fault('503', 3, '/v1/prices', 'GET');
    const unread = await billing.stripe.price();
    await expect(
      createSubscription(app, { patient_id: await billing.patient(), price_ids: [unread] }),
    ).rejects.toMatchObject({ code: 'provider_unavailable' });
  });
});

describe('a create that is not retried', () => {
  const intentOf = (patientId: string) => app.db.subscriptionIntent.findFirstOrThrow({ where: { patientId } });
  const resolve = async (patientId: string) =>
    resolveSubscription(billing.services, { tenantId: billing.tenant.id, intentId: (await intentOf(patientId)).id });

  it('is finished by its job when Stripe has the subscription', async () => {
    const patient = await billing.patient();
    fault(LOST.after, 3);
    await expect(createWithTimeout(patient)).rejects.toMatchObject({ code: LOST.code });
    expect((await intentOf(patient)).status).toBe('pending');
    billing.stripe.emulator.faults.clear();
    await resolve(patient);
    const [row] = await rowsOf(patient);
    expect(await atStripe(patient)).toMatchObject({ subscriptions: [row?.id] });
    expect(await intentOf(patient)).toMatchObject({ status: 'done', subscriptionId: row?.id });
    expect(row?.createdByClientId).toBe(app.actor.kind === 'application' && app.actor.clientId);
  });

  it('is closed when Stripe does not have it, and can be retried later', async () => {
    const patient = await billing.patient();
    fault(LOST.before, 3);
    await expect(createWithTimeout(patient, withKey('late'))).rejects.toMatchObject({ code: LOST.code });
    billing.stripe.emulator.faults.clear();
    await resolve(patient);
    expect((await intentOf(patient)).status).toBe('failed');
    const subscription = await create(patient, withKey('late'));
    expect(await atStripe(patient)).toEqual({ customers: 1, subscriptions: [subscription.id] });
    expect((await intentOf(patient)).status).toBe('done');
  });

  it('gets its end after the trial from the job', async () => {
    const patient = await billing.patient();
    const trial = await billing.stripe.price({ trial: '7' });
    fault(LOST.before, 9, '/v1/subscriptions/:id', 'POST');
    const input = { patient_id: patient, price_ids: [trial], cancel_at_period_end: true };
    await expect(createSubscription(withProviderTimeout(app), input)).rejects.toMatchObject({ code: LOST.code });
    billing.stripe.emulator.faults.clear();
    await resolve(patient);
    const [row] = await rowsOf(patient);
    expect(row).toMatchObject({ status: 'trialing', cancelAtPeriodEnd: true });
    expect(row!.cancelAt!.getTime()).toBeGreaterThan(row!.trialEnd!.getTime());
  });
});
