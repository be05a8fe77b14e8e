import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context } from '#server/core/context.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { asApplication } from '#testing/actors.ts';
import { type Billing, CARD, type Delivery, startBilling } from '#testing/billing.ts';
import { differencesToStripe, disorder, random } from '#testing/invariants/stripe-truth.ts';
import { reconcileFor } from '#testing/reconciling.ts';

const ROUNDS = Math.max(2, Math.ceil(Number(process.env.TEST_ORDERS ?? 5) / 4));
const SEED = Number(process.env.TEST_SEED ?? 20_261_122);
const DAY = 24 * 3600;
let billing: Billing;
let app: Context;
let now = new Date();
beforeAll(async () => {
  billing = await startBilling({ STRIPE_REQUESTS_PER_SECOND: '1000' });
  app = asApplication(billing.services, billing.tenant);
  billing.hold(true);
});
afterAll(() => billing?.stop());

type Made = Awaited<ReturnType<typeof createSubscription>>;
const on = () => ({ stripeAccount: billing.accountId });
async function create(options: { trial?: string } = {}): Promise<Made> {
  const patient_id = await billing.patient();
  return createSubscription(app, { patient_id, price_ids: [await billing.price(options)] });
}
const quiet = async () => {
  for (let before = -1; before !== billing.deliveries.length; ) {
    before = billing.deliveries.length;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
};

describe(`lives of which any tenth of the webhooks is lost (seed ${SEED})`, () => {
  it(`end as Stripe says within the bound, ${ROUNDS} times`, async () => {
    const next = random(SEED);
    let lost = 0;
    let all = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const from = billing.deliveries.length;
      const paid = await create();
      const declined = await create();
      const never = await create();
      const trial = await create({ trial: '2' });
      const failing = await create();
      const canceled = await create();
      await billing.pay(paid);
      await billing.pay(declined, CARD.declined);
      await billing.pay(declined);
      await billing.pay(trial);
      await billing.pay(failing, CARD.failsLater);
      await billing.pay(canceled);
      await billing.stripe.subscriptions.cancel(canceled.id, {}, on());
      await billing.control('clock', { advance_seconds: 2 * DAY + 7200 });
      await billing.control('clock', { advance_seconds: 32 * DAY });
      await quiet();
      const sent = billing.deliveries.slice(from);
      // Always the last of one life, and any tenth of the others.
      const last = sent.findLast(({ rawBody }) => rawBody.includes(canceled.id));
      const arrived = disorder(sent, next).filter((one: Delivery) => one !== last && next() >= 0.1);
      all += sent.length;
      lost += sent.length - new Set(arrived).size;
      for (const delivery of arrived) await billing.deliver(delivery);
      now = await reconcileFor(billing.services, billing.tenant.id, { from: now });
      for (const { id } of [paid, declined, never, trial, failing, canceled])
        expect([id, await differencesToStripe(billing, app, id)]).toEqual([id, []]);
    }
    console.info(
      `lost webhooks: seed ${SEED}, ${lost} of ${all} in ${ROUNDS} rounds of six lives, all states Stripe’s`,
    );
    expect(lost).toBeGreaterThan(0);
  }, 600_000);
});
