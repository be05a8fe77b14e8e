import { afterAll, beforeAll, expect, test } from 'vitest';
import { asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context } from '#server/core/context.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { getSubscription } from '#server/subscriptions/sync/get-subscription.ts';
import { reconcileStripe } from './reconcile-stripe.ts';

let billing: Clinic<'stripe'>;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
async function active() {
  const price_ids = [await billing.stripe.price()];
  const subscription = await createSubscription(app, { patient_id: await billing.patient(), price_ids });
  await billing.stripe.pay(subscription);
  const last4 = async () => (await getSubscription(app, subscription)).payment_method?.last4;
  await expect.poll(last4, { timeout: 10_000 }).toBe('4242');
  return subscription;
}

test('a comparison finds a changed card without a webhook, and stores an unknown one without an event', async () => {
  const changed = await active();
  const withoutKnownCard = await active();
  const { payment_method } = await getSubscription(app, changed);
  billing.stripe.hold(true);
  await expect.poll(() => app.db.inboundEvent.count({ where: { processedAt: null } }), { timeout: 10_000 }).toBe(0);
  await billing.stripe.api.paymentMethods.update(payment_method!.id, { card: { exp_month: 1, exp_year: 2039 } }, on());
  await app.db
    .$executeRaw`update subscriptions set payment_method = null, payment_method_known = false where id = ${withoutKnownCard.id}`;
  const countEvents = async () => {
    const entries = await app.db.auditEntry.findMany({ where: { objectId: withoutKnownCard.id } });
    return entries.filter(({ details }) => JSON.stringify(details).includes('paymentMethod')).length;
  };
  const before = await countEvents();
  await app.db.stripeReconcile.deleteMany({ where: { accountId: billing.stripe.accountId } });
  await reconcileStripe(billing.services, { tenantId: billing.tenant.id });
  const row = await app.db.subscription.findFirstOrThrow({ where: { id: withoutKnownCard.id } });
  expect(row).toMatchObject({ paymentMethodKnown: true, paymentMethod: { last4: '4242' } });
  expect(await countEvents()).toBe(before);
  const [queued] = await app.db.$queryRaw<object[]>`
    select 1 from graphile_worker._private_jobs where key = ${`refresh_subscription:${changed.id}`}`;
  expect(queued).toBeDefined();
  billing.stripe.hold(false);
});
