import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { reconcileFor } from '#dev/testing/reconciling.ts';
import { HOUR } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { syncSubscription } from '#server/subscriptions/sync/sync-subscription.ts';
import { refreshSubscription } from './refresh-subscription.ts';

let billing: Clinic<'stripe'>;
let app: Context;
let now = new Date();
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
});
afterEach(() => {
  billing.stripe.hold(false);
  billing.stripe.emulator.faults.clear();
});
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
async function bound() {
  now = await reconcileFor(billing.services, billing.tenant.id, { from: now });
}
/** Runs the first steps of a comparison that starts now. */
async function pass() {
  await app.db.stripeReconcile.updateMany({ data: { passStartedAt: null } });
  now = await reconcileFor(billing.services, billing.tenant.id, { from: now, bounds: 2 / 12 });
}
async function create() {
  const patient_id = await billing.patient();
  return createSubscription(app, { patient_id, price_ids: [await billing.stripe.price()] });
}
const paymentOf = (subscriptionId: string) => app.db.payment.findFirst({ where: { subscriptionId } });
async function giveBack(amount: number) {
  const [charge] = (await billing.stripe.api.charges.list({ limit: 1 }, on())).data;
  await billing.stripe.api.refunds.create({ charge: charge!.id, amount }, on());
}
const topics = async (objectId: string) =>
  (await app.db.event.findMany({ where: { objectId }, orderBy: { position: 'asc' } })).map((one) => one.eventTopic);
/** As if the events were older than Stripe's retention. */
async function skipEvents() {
  const { data } = await billing.stripe.api.events.list({ limit: 1 }, on());
  await app.db.stripeReconcile.updateMany({ data: { lastEventId: data[0]!.id, previousEventId: data[0]!.id } });
}

it('a payment and a refund with lost webhooks are found in the list of events within the bound', async () => {
  await bound();
  billing.stripe.hold(true);
  const subscription = await create();
  await billing.stripe.pay(subscription);
  await bound();
  expect(await paymentOf(subscription.id)).toMatchObject({ status: 'paid', amountPaid: 4900n });
  await giveBack(1500);
  await bound();
  expect(await paymentOf(subscription.id)).toMatchObject({ amountRefunded: 1500n });
  expect((await topics(subscription.id)).filter((topic) => /payment|refund/.test(topic))).toEqual([
    'payment_succeeded',
    'refunded',
  ]);
  const { id } = (await paymentOf(subscription.id))!;
  expect(await app.db.stripeRepair.findMany({ where: { objectId: id } })).toMatchObject([
    { foundBy: 'events', what: 'payments' },
    { foundBy: 'events', what: 'payments' },
  ]);
});

it('a payment and a refund are found by comparison when the list of events lacks them', async () => {
  const subscription = await create();
  await bound();
  billing.stripe.hold(true);
  await billing.stripe.pay(subscription);
  await skipEvents();
  await bound();
  await bound();
  expect(await paymentOf(subscription.id)).toMatchObject({ status: 'paid' });
  await giveBack(4900);
  await skipEvents();
  await bound();
  await bound();
  expect(await paymentOf(subscription.id)).toMatchObject({ amountRefunded: 4900n });
  expect((await topics(subscription.id)).filter((topic) => /payment|refund/.test(topic))).toEqual([
    'payment_succeeded',
    'refunded',
  ]);
  const { id } = (await paymentOf(subscription.id))!;
  const repairs = await app.db.stripeRepair.findMany({ where: { objectId: id, foundBy: 'comparison' } });
  expect(repairs.length).toBeGreaterThan(0);
});

it('an adopted subscription includes its bills', async () => {
  const subscription = await create();
  billing.stripe.hold(true);
  await billing.stripe.pay(subscription);
  await app.db.payment.deleteMany({ where: { subscriptionId: subscription.id } });
  await app.db.subscription.deleteMany({ where: { id: subscription.id } });
  await app.db.subscriptionIntent.deleteMany({ where: { subscriptionId: subscription.id } });
  const job = { tenantId: billing.tenant.id, subscriptionId: subscription.id, found: 'comparison' as const };
  await refreshSubscription(billing.services, job);
  expect(await paymentOf(subscription.id)).toMatchObject({ status: 'paid' });
});

it('an unreadable bill delays only its own subscription, which is read once the bill is readable', async () => {
  await pass();
  billing.stripe.hold(true);
  const [one, other] = [await create(), await create()];
  const [broken, readable] = one.id < other.id ? [one, other] : [other, one];
  await billing.stripe.pay(broken);
  await billing.stripe.pay(readable);
  for (const { id } of [broken, readable]) await syncSubscription(app, id);
  const { invoice } = billing.stripe.emulator.world.state.accounts[billing.stripe.accountId]!.objects;
  const bill = invoice[broken.latest_invoice!.id]!;
  const { subtotal } = bill;
  Object.assign(bill, { subtotal: 'unreadable' });
  await skipEvents();
  await pass();
  expect(await paymentOf(readable.id)).toMatchObject({ status: 'paid' });
  expect(await paymentOf(broken.id)).toBeNull();
  const row = await app.db.subscription.findFirst({ where: { id: broken.id } });
  expect(row).toMatchObject({ status: 'active', paymentsCheckedAt: expect.any(Date) });
  expect(await app.db.stripeReconcile.findFirst()).toMatchObject({ lastError: null, runner: null });
  Object.assign(bill, { subtotal });
  // It is read again once its subscription has been compared since.
  await pass();
  await pass();
  expect(await paymentOf(broken.id)).toMatchObject({ status: 'paid' });
});

it('refunds are listed from the end of the last complete comparison', async () => {
  const subscription = await create();
  await billing.stripe.pay(subscription);
  await expect.poll(() => paymentOf(subscription.id), { timeout: 10_000 }).toMatchObject({ status: 'paid' });
  await pass();
  billing.stripe.hold(true);
  await giveBack(4900);
  await skipEvents();
  billing.stripe.emulator.faults.add({ match: { path: '/v1/invoices' }, kind: '503', times: 1000 });
  await pass();
  billing.stripe.emulator.faults.clear();
  // Further back than the overlap of two comparisons.
  now = new Date(now.getTime() + 2 * HOUR);
  await pass();
  expect(await paymentOf(subscription.id)).toMatchObject({ amountRefunded: 4900n });
});
