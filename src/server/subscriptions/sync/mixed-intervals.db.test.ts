import { afterAll, beforeAll, expect, test } from 'vitest';
import { asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { CarelaneError } from '#server/core/errors.ts';
import { cancelSubscription } from '../cancel/cancel-subscription.ts';
import { previewChange } from '../change/preview-change.ts';
import { updateSubscription } from '../change/update-subscription.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { getSubscription } from './get-subscription.ts';

const DAY = 24 * 3600;
let billing: Clinic<'stripe'>;
let monthly: string;
let yearly: string;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  monthly = await billing.stripe.price();
  yearly = await billing.stripe.price({ interval: 'year' });
});
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
const app = () => asApplication(billing.services, billing.tenant);
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: CarelaneError) => [error.code, error.faults[0]?.detail],
  );

/** A subscription made in Stripe's dashboard for a known customer, with the yearly price first. */
async function createInDashboard() {
  const patient_id = await billing.patient();
  const first = await createSubscription(app(), { patient_id, price_ids: [await billing.stripe.price()] });
  await billing.stripe.pay(first);
  const { customer, default_payment_method } = await billing.stripe.api.subscriptions.retrieve(first.id, {}, on());
  const { id } = await billing.stripe.api.subscriptions.create(
    {
      customer: customer as string,
      items: [{ price: yearly }, { price: monthly }],
      default_payment_method: default_payment_method as string,
    },
    on(),
  );
  await expect
    .poll(() => app().db.subscription.count({ where: { id, status: 'active' } }), { timeout: 10_000 })
    .toBe(1);
  return id;
}

test('a subscription with mixed intervals has no plan price, and is billed when the first interval ends', async () => {
  const id = await createInDashboard();
  const { items } = await billing.stripe.api.subscriptions.retrieve(id, {}, on());
  const month = items.data.find(({ price }) => price.id === monthly)!;
  const next = new Date(month.current_period_end * 1000).toISOString();
  expect(await getSubscription(app(), { id })).toMatchObject({
    price_ids: [yearly, monthly],
    plan_price: null,
    billing_period: null,
    billing_interval: null,
    current_period_end: next,
    upcoming_invoice_date: next,
  });
  expect(await cancelSubscription(app(), { id, cancel_at_period_end: true })).toMatchObject({ cancel_at: next });
  expect(await updateSubscription(app(), { id, cancel_at_period_end: false })).toMatchObject({ cancel_at: null });

  await billing.stripe.control('clock', { advance_seconds: 32 * DAY });
  const after = async () => (await getSubscription(app(), { id })).current_period_end! > next;
  await expect.poll(after, { timeout: 15_000 }).toBe(true);
});

test('a subscription with mixed intervals accepts no further price, and can drop to one interval', async () => {
  const id = await createInDashboard();
  const input = { id, price_ids: [yearly, monthly, await billing.stripe.price()] };
  const billingMismatch = [
    'invalid_parameter',
    'All prices of one subscription must share currency and billing interval.',
  ];
  expect(await errorOf(updateSubscription(app(), input))).toEqual(billingMismatch);
  expect(await errorOf(previewChange(app(), input))).toEqual(billingMismatch);
  // Unchanged prices with another quantity are accepted.
  const updated = await updateSubscription(app(), { id, price_ids: [yearly, monthly], quantities: [1, 2] });
  expect(updated).toMatchObject({ plan_price: null, status: 'active' });
  const preview = await previewChange(app(), { id, price_ids: [monthly] });
  expect(preview.due_now).toBe(0);
  expect(await updateSubscription(app(), { id, price_ids: [monthly], quantities: [1] })).toMatchObject({
    price_ids: [monthly],
    plan_price: 4900,
    billing_period: 'month',
    billing_interval: 1,
  });
});
