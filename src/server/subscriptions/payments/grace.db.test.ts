import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, asApplication } from '#dev/testing/actors.ts';
import type { Delivery } from '#dev/testing/billing.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { shuffleDeliveries } from '#dev/testing/invariants/stripe-truth.ts';
import { allSent } from '#dev/testing/lifecycles.ts';
import { seededRandom } from '#dev/testing/seed.ts';
import type { Context } from '#server/core/context.ts';
import { updateStripe } from '#server/integrations/router.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { getSubscription } from '../sync/get-subscription.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';
import { syncPayments } from './sync-payments.ts';

const DAY_SECONDS = 24 * 3600;
const DAY_MS = DAY_SECONDS * 1000;
let billing: Clinic<'stripe'>;
let app: Context;
let admin: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
  admin = asAdmin(billing.services, billing.tenant);
});
afterEach(() => billing.stripe.hold(false));
afterAll(() => billing?.stop());

/** `PROVE=1` runs the long form. */
const ORDERS = process.env.PROVE ? 6 : 2;

const advance = async (days: number) => {
  await billing.stripe.control('clock', { advance_seconds: days * DAY_SECONDS });
  await allSent(billing);
};
const on = () => ({ stripeAccount: billing.stripe.accountId });

/** The first month is paid, and the card is declined for the second. */
async function overdue() {
  const patient_id = await billing.patient();
  const subscription = await createSubscription(app, { patient_id, price_ids: [await billing.stripe.price()] });
  await billing.stripe.pay(subscription);
  const live = await billing.stripe.api.subscriptions.retrieve(subscription.id, {}, on());
  const card = await billing.stripe.api.paymentMethods.attach(
    'pm_card_chargeCustomerFail',
    { customer: String(live.customer) },
    on(),
  );
  await billing.stripe.api.subscriptions.update(subscription.id, { default_payment_method: card.id }, on());
  await allSent(billing);
  billing.stripe.hold(true);
  const from = billing.stripe.deliveries.length;
  await advance(32);
  const events = billing.stripe.deliveries.slice(from).filter(({ rawBody }) => rawBody.includes(subscription.id));
  return { id: subscription.id, events };
}
/** When the oldest open bill was created at Stripe, in milliseconds. */
async function owedSince(id: string): Promise<number> {
  const { data } = await billing.stripe.api.invoices.list({ subscription: id, status: 'open' }, on());
  return Math.min(...data.map(({ created }) => created)) * 1000;
}
const graceOf = async (id: string) => (await getSubscription(app, { id })).grace_until;
const deliverAll = async (events: Delivery[]) => {
  for (const event of events) await billing.stripe.deliver(event);
};

describe('grace_until', () => {
  it('follows from when the renewal was billed, in any order of events', async () => {
    const { id, events } = await overdue();
    expect(events.length).toBeGreaterThan(2);
    const until = new Date((await owedSince(id)) + 7 * DAY_MS).toISOString();
    const next = seededRandom(7);
    for (let order = 0; order < ORDERS; order++) {
      await app.db.inboundEvent.deleteMany();
      await app.db.payment.deleteMany({ where: { subscriptionId: id, status: 'open' } });
      await app.db.subscription.updateMany({
        where: { id },
        data: { graceUntil: null, invoicedAt: null, status: 'active', latestInvoice: {} },
      });
      for (const event of shuffleDeliveries(events, next)) {
        await billing.stripe.deliver(event);
        const { status, grace_until } = await getSubscription(app, { id });
        expect([status, grace_until]).toEqual(status === 'past_due' ? ['past_due', until] : [status, null]);
      }
      expect(await graceOf(id)).toBe(until);
    }
  });

  it('is set by a sync of the subscription or of its payments alone', async () => {
    const { id } = await overdue();
    const until = new Date((await owedSince(id)) + 7 * DAY_MS).toISOString();
    await syncSubscription(app, id);
    expect(await graceOf(id)).toBe(until);
    await app.db.subscription.updateMany({ where: { id }, data: { graceUntil: null, invoicedAt: null } });
    await syncPayments(app, id);
    expect(await graceOf(id)).toBe(until);
  });

  it('does not restart with the next unpaid bill, and ends once the debt is paid', async () => {
    const { id, events } = await overdue();
    await deliverAll(events);
    const until = await graceOf(id);
    expect(until).not.toBeNull();
    const open = (await billing.stripe.api.invoices.list({ subscription: id, status: 'open' }, on())).data[0]!;
    // A second open bill, after the first.
    await app.db.payment.create({
      data: {
        ...(await app.db.payment.findFirstOrThrow({ where: { id: open.id! } })),
        id: 'in_later',
        failure: {},
        refunds: [],
        disputes: [],
        createdAt: new Date(open.created * 1000 + 30 * DAY_MS),
      },
    });
    await updateStripe(admin, { grace_days: 10 });
    expect(await graceOf(id)).toBe(new Date(open.created * 1000 + 10 * DAY_MS).toISOString());
    await updateStripe(admin, { grace_days: 7 });
    expect(await graceOf(id)).toBe(until);
    await app.db.payment.deleteMany({ where: { id: 'in_later' } });

    billing.stripe.hold(false);
    const live = await billing.stripe.api.subscriptions.retrieve(id, {}, on());
    const card = await billing.stripe.api.paymentMethods.attach(
      'pm_card_visa',
      { customer: String(live.customer) },
      on(),
    );
    await billing.stripe.api.invoices.pay(open.id!, { payment_method: card.id }, on());
    await syncPayments(app, id);
    await syncSubscription(app, id);
    const after = await getSubscription(app, { id });
    expect([after.status, after.grace_until]).toEqual(['active', null]);
  });

  it('restarts from the first unpaid bill after the last paid one', async () => {
    const { id, events } = await overdue();
    await deliverAll(events);
    const open = (await billing.stripe.api.invoices.list({ subscription: id, status: 'open' }, on())).data[0]!;
    const row = await app.db.payment.findFirstOrThrow({ where: { id: open.id! } });
    const owed = { ...row, failure: {}, refunds: [], disputes: [] };
    // An older bill was left open, and the patient has paid since.
    const ago = (days: number) => new Date(open.created * 1000 - days * DAY_MS);
    await app.db.payment.create({ data: { ...owed, id: 'in_left', createdAt: ago(90) } });
    await updateStripe(admin, { grace_days: 8 });
    expect(await graceOf(id)).toBe(new Date(open.created * 1000 + 8 * DAY_MS).toISOString());
    await updateStripe(admin, { grace_days: 7 });
  });
});
