import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context } from '#server/core/context.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { listSubscriptions } from '../records/list-subscriptions.ts';
import { getSubscription } from './get-subscription.ts';

let billing: Clinic<'stripe'>;
let app: Context;
const calls: string[] = [];
const ages: number[] = [];
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
  const stripe = billing.services.providers.stripe();
  stripe.on('request', ({ method, path }: { method: string; path: string }) => calls.push(`${method} ${path}`));
});
afterEach(() => {
  billing.stripe.emulator.faults.clear();
  calls.length = 0;
  ages.length = 0;
});
afterAll(() => billing?.stop());

const MINUTES = 60_000;
/** A staff user whose clock is the given number of minutes ahead. */
const later = (minutes: number): Context => ({
  ...asPractitioner(billing.services, billing.tenant),
  clock: { now: () => new Date(Date.now() + minutes * MINUTES) },
  onAge: (seconds) => ages.push(seconds),
});
/** A subscription that was canceled at Stripe without a webhook. */
async function createCanceled() {
  billing.stripe.hold(true);
  const price_ids = [await billing.stripe.price({ trial: '9' })];
  const subscription = await createSubscription(app, { patient_id: await billing.patient(), price_ids });
  await billing.stripe.api.subscriptions.cancel(subscription.id, {}, { stripeAccount: billing.stripe.accountId });
  calls.length = 0;
  return subscription;
}

describe('getSubscription', () => {
  it('reads a row from Stripe that is older than the reconcile interval, and records the repair', async () => {
    const subscription = await createCanceled();
    expect((await getSubscription(later(0.5), subscription)).status).toBe('trialing');
    expect(calls).toEqual([]);
    expect((await getSubscription(later(1.5), subscription)).status).toBe('canceled');
    expect(calls).toHaveLength(1);
    const repairs = await app.db.stripeRepair.findMany({ where: { objectId: subscription.id } });
    expect(repairs).toMatchObject([{ foundBy: 'reading', what: 'status:canceled' }]);
    // The change is not attributed to the reader.
    const where = { objectId: subscription.id, eventTopic: 'canceled' };
    expect(await app.db.event.findMany({ where })).toMatchObject([{ authorType: 'System' }]);
    const entries = await app.db.auditEntry.findMany({
      where: { objectId: subscription.id, action: 'subscriptions.sync' },
    });
    expect(entries).toMatchObject([{ actorType: 'System' }]);
    await getSubscription(later(60), subscription);
    expect(calls).toHaveLength(1);
    expect(ages).toEqual([]);
  });

  it('returns the stored row with its age when Stripe does not respond within a second', async () => {
    const subscription = await createCanceled();
    billing.stripe.emulator.faults.add({ match: { path: '/v1/subscriptions/:id' }, kind: 'timeout_before', times: 5 });
    const begun = performance.now();
    expect((await getSubscription(later(5), subscription)).status).toBe('trialing');
    if (process.env.PROVE) expect(performance.now() - begun).toBeLessThan(2500);
    expect(ages).toEqual([expect.any(Number)]);
    expect(Math.abs(ages[0]! - 300)).toBeLessThan(10);
  });

  it('reports a customer deleted at Stripe until the patient has another', async () => {
    billing.stripe.hold(false);
    const on = { stripeAccount: billing.stripe.accountId };
    const patient_id = await billing.patient();
    const price_ids = [await billing.stripe.price({ trial: '9' })];
    const subscription = await createSubscription(app, { patient_id, price_ids });
    expect((await getSubscription(app, subscription)).stripe_issue).toBeNull();
    const { customerId } = await app.db.processorCustomer.findFirstOrThrow({ where: { patientId: patient_id } });
    await billing.stripe.api.customers.del(customerId, {}, on);
    const state = async () => {
      const { status, stripe_issue } = await getSubscription(app, subscription);
      return [status, stripe_issue];
    };
    await expect.poll(state, { timeout: 10_000 }).toEqual(['canceled', 'customer_deleted']);
    await createSubscription(app, { patient_id, price_ids });
    expect(await state()).toEqual(['canceled', null]);
  });

  it('returns the stored row with its age and without a secret, also to its patient, while Stripe fails', async () => {
    billing.stripe.hold(true);
    const patient_id = await billing.patient();
    const subscription = await createSubscription(app, { patient_id, price_ids: [await billing.stripe.price()] });
    const own = { ...asPatient(billing.services, billing.tenant, patient_id), onAge: later(0).onAge };
    const secretOf = async () =>
      (await getSubscription(own, subscription)).latest_invoice?.payment_intent?.client_secret;
    expect(await secretOf()).toMatch(/_secret_/);
    expect(ages).toEqual([]);
    const match = { path: '/v1/subscriptions/:id' };
    billing.stripe.emulator.faults.add({ match, kind: '503', times: 5 });
    expect(await getSubscription(own, subscription)).toMatchObject({ id: subscription.id, next_action: 'payment' });
    expect(await secretOf()).toBeUndefined();
    expect(ages).toEqual([expect.any(Number), expect.any(Number)]);
  });

  it('differs from a list, which never reads from Stripe', async () => {
    const subscription = await createCanceled();
    const { items } = await listSubscriptions(later(60), { patient_id: subscription.patient_id });
    expect(items).toMatchObject([{ id: subscription.id, status: 'trialing' }]);
    expect(calls).toEqual([]);
  });
});
