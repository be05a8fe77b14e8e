import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { asApplication } from '#dev/testing/actors.ts';
import { type Billing, startBilling } from '#dev/testing/billing.ts';
import { reconcileFor } from '#dev/testing/reconciling.ts';
import type { Context } from '#server/core/context.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';

let billing: Billing;
let app: Context;
let now = new Date();
beforeAll(async () => {
  billing = await startBilling({ STRIPE_REQUESTS_PER_SECOND: '1000' });
  app = asApplication(billing.services, billing.tenant);
});
afterEach(() => billing.hold(false));
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.accountId });
async function bound() {
  now = await reconcileFor(billing.services, billing.tenant.id, { from: now });
}
async function create() {
  const patient_id = await billing.patient();
  return createSubscription(app, { patient_id, price_ids: [await billing.price()] });
}
const paymentOf = (subscriptionId: string) => app.db.payment.findFirst({ where: { subscriptionId } });
async function giveBack(amount: number) {
  const [charge] = (await billing.stripe.charges.list({ limit: 1 }, on())).data;
  await billing.stripe.refunds.create({ charge: charge!.id, amount }, on());
}
const topics = async (objectId: string) =>
  (await app.db.event.findMany({ where: { objectId }, orderBy: { position: 'asc' } })).map((one) => one.eventTopic);
/** As if they were older than Stripe keeps them. */
async function skipEvents() {
  const { data } = await billing.stripe.events.list({ limit: 1 }, on());
  await app.db.stripeReconcile.updateMany({ data: { lastEventId: data[0]!.id, previousEventId: data[0]!.id } });
}

it('a payment and a refund whose webhooks were lost are found in the list of events within the bound', async () => {
  await bound();
  billing.hold(true);
  const made = await create();
  await billing.pay(made);
  await bound();
  expect(await paymentOf(made.id)).toMatchObject({ status: 'paid', amountPaid: 4900n });
  await giveBack(1500);
  await bound();
  expect(await paymentOf(made.id)).toMatchObject({ amountRefunded: 1500n });
  expect((await topics(made.id)).filter((topic) => /payment|refund/.test(topic))).toEqual([
    'payment_succeeded',
    'refunded',
  ]);
  const { id } = (await paymentOf(made.id))!;
  expect(await app.db.stripeRepair.findMany({ where: { objectId: id } })).toMatchObject([
    { foundBy: 'events', what: 'payments' },
    { foundBy: 'events', what: 'payments' },
  ]);
});

it('and by comparing, where the list of events does not tell either', async () => {
  const made = await create();
  await bound();
  billing.hold(true);
  await billing.pay(made);
  await skipEvents();
  await bound();
  await bound();
  expect(await paymentOf(made.id)).toMatchObject({ status: 'paid' });
  await giveBack(4900);
  await skipEvents();
  await bound();
  await bound();
  expect(await paymentOf(made.id)).toMatchObject({ amountRefunded: 4900n });
  expect((await topics(made.id)).filter((topic) => /payment|refund/.test(topic))).toEqual([
    'payment_succeeded',
    'refunded',
  ]);
  const { id } = (await paymentOf(made.id))!;
  const found = await app.db.stripeRepair.findMany({ where: { objectId: id, foundBy: 'comparison' } });
  expect(found.length).toBeGreaterThan(0);
});
