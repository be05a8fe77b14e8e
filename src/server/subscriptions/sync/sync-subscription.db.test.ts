import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context } from '#server/core/context.ts';
import { asApplication } from '#testing/actors.ts';
import { type Billing, CARD, startBilling } from '#testing/billing.ts';
import { differencesToStripe, disorder, random } from '#testing/invariants/stripe-truth.ts';
import { cancelSubscription } from '../cancel/cancel-subscription.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import { syncSubscription } from './sync-subscription.ts';

const ORDERS = Number(process.env.TEST_ORDERS ?? 5);
const SEED = Number(process.env.TEST_SEED ?? 20_261_121);
const DAY = 24 * 3600;
let billing: Billing;
let app: Context;
beforeAll(async () => {
  billing = await startBilling();
  app = asApplication(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

async function create(options: { trial?: string } = {}) {
  const patient_id = await billing.patient();
  return createSubscription(app, { patient_id, price_ids: [await billing.price(options)] });
}
const quiet = async () => {
  let before = -1;
  while (before !== billing.deliveries.length) {
    before = billing.deliveries.length;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
};
const advance = async (seconds: number) => {
  await billing.control('clock', { advance_seconds: seconds });
  await quiet();
};

type Made = Awaited<ReturnType<typeof create>>;
const LIVES: Record<string, { trial?: string; live: (made: Made) => Promise<void> }> = {
  'paid at once': {
    live: async (made) => {
      await billing.pay(made);
    },
  },
  'declined, then paid': {
    live: async (made) => {
      await billing.pay(made, CARD.declined);
      await billing.pay(made);
    },
  },
  'never paid and expired': { live: () => advance(DAY) },
  'a trial with a card, over': {
    trial: '2',
    live: async (made) => {
      await billing.pay(made);
      await advance(2 * DAY + 7200);
    },
  },
  'a renewal that fails': {
    live: async (made) => {
      await billing.pay(made, CARD.failsLater);
      await advance(32 * DAY);
    },
  },
  'paid and canceled': {
    live: async (made) => {
      await billing.pay(made);
      await billing.stripe.subscriptions.cancel(made.id, {}, { stripeAccount: billing.accountId });
    },
  },
};

describe(`the stored state, whatever order a life's events come in (seed ${SEED})`, () => {
  it.each(Object.entries(LIVES))('%s', async (_name, { trial, live }) => {
    billing.hold(true);
    const from = billing.deliveries.length;
    const made = await create(trial ? { trial } : {});
    await live(made);
    await quiet();
    billing.hold(false);
    const events = billing.deliveries.slice(from).filter(({ rawBody }) => rawBody.includes(made.id));
    expect(events.length).toBeGreaterThan(2);

    const next = random(SEED);
    for (let order = 0; order < ORDERS; order++) {
      await app.db.inboundEvent.deleteMany();
      for (const delivery of disorder(events, next)) await billing.deliver(delivery);
      expect(await differencesToStripe(billing, app, made.id)).toEqual([]);
    }
    await app.db.inboundEvent.deleteMany();
    await Promise.all(disorder(events, next).map((delivery) => billing.deliver(delivery)));
    expect(await differencesToStripe(billing, app, made.id)).toEqual([]);
  });
});

describe('a reading that overtakes another', () => {
  it('is never written over by the older one', async () => {
    const made = await create();
    const rounds = Array.from({ length: 6 }, () => syncSubscription(app, made.id));
    const pay = billing.pay(made);
    await Promise.all([...rounds, pay]);
    await Promise.all(Array.from({ length: 6 }, () => syncSubscription(app, made.id)));
    expect(await differencesToStripe(billing, app, made.id)).toEqual([]);
    const row = await app.db.subscription.findFirstOrThrow({ where: { id: made.id } });
    expect(row.syncedTicket).toBeLessThanOrEqual(row.ticket);
  });

  it('tells each change once, in order', async () => {
    const made = await create();
    await billing.pay(made);
    await expect.poll(async () => (await getSubscription(app, made)).status, { timeout: 10_000 }).toBe('active');
    await quiet();
    await cancelSubscription(app, { id: made.id });
    await quiet();
    const events = await app.db.event.findMany({ where: { objectId: made.id }, orderBy: { position: 'asc' } });
    const topics = events.map(({ eventTopic }) => eventTopic);
    expect(topics[0]).toBe('created');
    expect(topics.at(-1)).toBe('canceled');
    for (const once of ['created', 'activated', 'canceled'])
      expect(topics.filter((topic) => topic === once)).toHaveLength(1);
    expect(events.at(-1)?.authorType).toBe('Application');
  });
});
