import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '#server/core/context.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { asApplication } from '../actors.ts';
import { type Clinic, withClinic } from '../clinic.ts';
import { differencesToStripe, shuffleDeliveries } from '../invariants/stripe-truth.ts';
import { connectTo } from '../invariants/tenant-walk.ts';
import { seededRandom } from '../seed.ts';

let billing: Clinic<'stripe'>;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

/**
 * Pays and cancels a subscription at Stripe and delivers its events in random order. @returns the differences to Stripe
 */
async function live(): Promise<string[]> {
  billing.stripe.hold(true);
  const price_ids = [await billing.stripe.price()];
  const subscription = await createSubscription(app, { patient_id: await billing.patient(), price_ids });
  await billing.stripe.pay(subscription);
  await billing.stripe.api.subscriptions.cancel(subscription.id, {}, { stripeAccount: billing.stripe.accountId });
  const about = () => billing.stripe.deliveries.filter(({ rawBody }) => rawBody.includes(subscription.id));
  await expect.poll(() => about().some(({ type }) => type.endsWith('deleted')), { timeout: 10_000 }).toBe(true);
  billing.stripe.hold(false);
  for (const delivery of shuffleDeliveries(about(), seededRandom())) await billing.stripe.deliver(delivery);
  return differencesToStripe(billing, app, subscription.id);
}

test('intact: the stored state is Stripe’s', async () => {
  expect(await live()).toEqual([]);
});

test('S1: detects a status that keeps its first value', async () => {
  const owner = await connectTo(billing.database.ownerUrl);
  await owner.query(`create function keep_first() returns trigger language plpgsql as $$
    begin new.status := old.status; return new; end $$`);
  await owner.query('create trigger planted before update on subscriptions for each row execute function keep_first()');
  await owner.end();
  expect(await live()).toContain('status');
});
