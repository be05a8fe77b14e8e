import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asApplication, withKey } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { CarelaneError } from '#server/core/errors.ts';
import { createCheckoutSession } from './create-checkout-session.ts';
import { createSubscription } from './create-subscription.ts';
import { resolveSubscription } from './intent.ts';

/** `PROVE=1` runs the long form. */
const ROUNDS = process.env.PROVE ? 3 : 1;

let billing: Clinic<'stripe'>;
let monthly: string;
let yearly: string;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  monthly = await billing.stripe.price({ trial: '7' });
  const { product } = await billing.stripe.api.prices.retrieve(monthly, {}, on());
  const yearlyOne = { currency: 'usd', unit_amount: 49_000, recurring: { interval: 'year' as const } };
  const metadata = { trial_period_in_days: '14' };
  yearly = (await billing.stripe.api.prices.create({ ...yearlyOne, product: product as string, metadata }, on())).id;
});
afterEach(() => billing.stripe.emulator.faults.clear());
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
const app = () => asApplication(billing.services, billing.tenant);
const subscribe = (patient_id: string, price: string, ctx = app()) =>
  createSubscription(ctx, { patient_id, price_ids: [price], allow_duplicate: true });
const openPage = (patient_id: string, price: string) => {
  const url = billing.services.config.publicUrl;
  return createCheckoutSession(app(), { patient_id, price_ids: [price], success_url: url, cancel_url: url });
};
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    ({ faults: [fault] }: CarelaneError) => [fault?.code, fault?.detail],
  );
const GRANTED = [
  'conflict',
  "The patient's free trial of this plan was begun elsewhere a moment ago. Try again in a minute.",
];

/** What the patient has at Stripe with a trial, or could still buy with one. */
async function trialsOf(patientId: string): Promise<string[]> {
  const subscriptions = await billing.stripe.api.subscriptions.list({ status: 'all', limit: 100 }, on());
  const pages = await billing.stripe.api.checkout.sessions.list({ status: 'open', limit: 100 }, on());
  const own = <T extends { metadata: Record<string, string> | null }>(all: T[]) =>
    all.filter(({ metadata }) => metadata?.patient_id === patientId);
  return [
    ...own(subscriptions.data).flatMap(({ id, trial_start }) => (trial_start ? id : [])),
    ...own(pages.data).flatMap(({ id, amount_total }) => (amount_total === 0 ? id : [])),
  ];
}

describe('trial_once', () => {
  test.each([
    ['for prices of one product', (n: number) => (n % 2 ? monthly : yearly)],
    ['for one price with allow_duplicate', () => monthly],
  ])('grants the trial to one of several concurrent requests, %s', async (_, priceOf) => {
    for (let round = 0; round < ROUNDS; round++) {
      const patient = await billing.patient();
      const calls = Array.from({ length: 6 }, (_, n) => ({
        price: priceOf(n),
        ctx: withKey(app(), `${patient}-${n}`),
      }));
      const subscribeAll = () => Promise.allSettled(calls.map(({ price, ctx }) => subscribe(patient, price, ctx)));
      for (const one of await subscribeAll())
        if (one.status === 'rejected') expect(await errorOf(Promise.reject(one.reason))).toEqual(GRANTED);
      expect(await trialsOf(patient)).toHaveLength(1);
      // Each retry succeeds, all but one without a trial.
      const settled = await subscribeAll();
      expect(settled.map((one) => (one.status === 'fulfilled' ? one.value.status : one.reason)).sort()).toEqual([
        ...Array.from({ length: 5 }, () => 'incomplete'),
        'trialing',
      ]);
      expect(await trialsOf(patient)).toHaveLength(1);
    }
  });

  test('offers the trial on one of several concurrently opened pages', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const patient = await billing.patient();
      await Promise.allSettled([monthly, yearly, monthly, yearly].map((price) => openPage(patient, price)));
      expect(await trialsOf(patient)).toHaveLength(1);
    }
  });

  test('grants the trial to a request or to a page of another price, not to both', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const patient = await billing.patient();
      await Promise.allSettled([openPage(patient, yearly), subscribe(patient, monthly), openPage(patient, yearly)]);
      expect(await trialsOf(patient)).toHaveLength(1);
    }
  });

  test('ends the page that offered the trial', async () => {
    const patient = await billing.patient();
    const page = await openPage(patient, yearly);
    expect((await subscribe(patient, monthly)).status).toBe('trialing');
    expect((await billing.stripe.api.checkout.sessions.retrieve(page.id, {}, on())).status).toBe('expired');
  });

  test('grants no second trial when a failed request is retried under its key', async () => {
    const patient = await billing.patient();
    const ctx = withKey(app(), `failed-${patient}`);
    const match = { method: 'POST', path: '/v1/subscriptions' };
    billing.stripe.emulator.faults.add({ match, kind: '503', times: 9 });
    await expect(subscribe(patient, monthly, ctx)).rejects.toThrow();
    billing.stripe.emulator.faults.clear();
    const { tenant, services } = billing;
    const intent = await ctx.db.subscriptionIntent.findFirstOrThrow({ where: { patientId: patient } });
    expect(await errorOf(subscribe(patient, yearly))).toEqual(GRANTED);
    await resolveSubscription(services, { tenantId: tenant.id, intentId: intent.id });
    expect((await subscribe(patient, yearly)).status).toBe('trialing');
    expect(await errorOf(subscribe(patient, monthly, ctx))).toEqual(GRANTED);
    expect(await trialsOf(patient)).toHaveLength(1);
  });
});
