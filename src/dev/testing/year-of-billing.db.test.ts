import { Temporal } from 'temporal-polyfill';
import { afterAll, expect, test } from 'vitest';
import type { Context } from '#server/core/context.ts';
import { setDefaultCard } from '#server/customers/cards/change-cards.ts';
import type { StripeDispute, StripeRefund } from '#server/providers/stripe-payments.ts';
import { cancelSubscription } from '#server/subscriptions/cancel/cancel-subscription.ts';
import { updateSubscription } from '#server/subscriptions/change/update-subscription.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { refundPayment } from '#server/subscriptions/payments/refund-payment.ts';
import { asApplication } from './actors.ts';
import { CARD } from './billing.ts';
import { type Clinic, withClinic } from './clinic.ts';
import { differencesToStripe, paymentDifferences } from './invariants/stripe-truth.ts';

/** The trial ends on the 31st, which not every month has. */
const BEGIN = Date.parse('2037-01-17T10:00:00Z') / 1000;
const DAY = 24 * 3600;
const TRIAL_DAYS = 14;
const CHEAP = 4900;
const EXPENSIVE = 9900;
const REFUNDED = 1500;
/** Days between the attempts of a failed renewal, in the sandbox and by Stripe's default. */
const RETRIES = [1, 3, 5, 7];

const running: Clinic<'stripe'>[] = [];
afterAll(() => Promise.all(running.map((one) => one.stop())));

/** The long form also advances each year day by day; the short form does so in one step, which is much faster. */
const LONG = Boolean(process.env.PROVE);

/** One invoice as in a handwritten ledger; timestamps are in whole hours since the trial began. */
type Line = {
  reason: string;
  total: number;
  paid: number;
  paidAt: number | null;
  attempts: number;
  refunds: number[];
  disputed: [amount: number, status: string][];
};

/** Calculates the year independently of all billing code, from the calendar only. */
function ledgerByHand(): { lines: Line[]; endsAt: number; left: number; proration: number } {
  const start = Temporal.Instant.fromEpochMilliseconds((BEGIN + TRIAL_DAYS * DAY) * 1000).toZonedDateTimeISO('UTC');
  const periodStart = (n: number) => start.add({ months: n - 1 }).epochMilliseconds / 1000;
  const hours = (at: number) => Math.floor((at - BEGIN) / 3600);
  const plain = { refunds: [], disputed: [] };
  const cycle = (n: number, total: number, more: Partial<Line> = {}): Line => ({
    reason: 'subscription_cycle',
    total,
    paid: total,
    // An invoice stays a draft for an hour before it is finalized.
    paidAt: hours(periodStart(n)) + 1,
    attempts: 1,
    ...plain,
    ...more,
  });
  const length = periodStart(5) - periodStart(4);
  const rest = length - 10 * DAY;
  const share = (amount: number) => Math.round((amount * rest) / length);
  const proration = share(EXPENSIVE) - share(CHEAP);
  const lines = [
    { reason: 'subscription_create', total: 0, paid: 0, paidAt: 0, attempts: 0, ...plain },
    cycle(1, CHEAP),
    cycle(2, CHEAP),
    // Two retries fail, and the third uses another card.
    cycle(3, CHEAP, {
      paidAt: hours(periodStart(3)) + 1 + 24 * (RETRIES[0]! + RETRIES[1]! + RETRIES[2]!),
      attempts: 4,
    }),
    cycle(4, CHEAP),
    { ...cycle(4, proration), reason: 'subscription_update', paidAt: hours(periodStart(4)) + 10 * 24 },
    cycle(5, EXPENSIVE, { refunds: [REFUNDED] }),
    cycle(6, EXPENSIVE, { disputed: [[EXPENSIVE, 'lost']] }),
    cycle(7, EXPENSIVE),
    cycle(8, EXPENSIVE),
  ];
  const left = 4 * CHEAP + proration + 4 * EXPENSIVE - REFUNDED - EXPENSIVE;
  return { lines, endsAt: hours(periodStart(9)), left, proration };
}

const atPeriod = (n: number, days: number): number =>
  Temporal.Instant.fromEpochMilliseconds((BEGIN + TRIAL_DAYS * DAY) * 1000)
    .toZonedDateTimeISO('UTC')
    .add({ months: n - 1 }).epochMilliseconds /
    1000 +
  days * DAY;

/** Resolves when Stripe has sent all its events and they are applied. */
async function settled({ stripe: { emulator } }: Clinic<'stripe'>, app: Context): Promise<void> {
  const onItsWay = () => emulator.world.webhooks.log().some(({ status }) => status === 'pending');
  for (let calm = 0; calm < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const waiting = onItsWay() || (await app.db.inboundEvent.count({ where: { processedAt: null } })) > 0;
    calm = waiting ? 0 : calm + 1;
  }
}

const hoursIn = (at: Date | null) => at && Math.floor((at.getTime() / 1000 - BEGIN) / 3600);

/** The invoices in our copies. */
async function linesOf(app: Context, subscriptionId: string): Promise<Line[]> {
  const billed = await app.db.payment.findMany({ where: { subscriptionId }, orderBy: { createdAt: 'asc' } });
  return billed.map((one) => ({
    reason: one.billingReason!,
    total: Number(one.total),
    paid: Number(one.amountPaid),
    paidAt: hoursIn(one.paidAt),
    attempts: one.attemptCount,
    refunds: (one.refunds as StripeRefund[]).map(({ amount }) => amount),
    disputed: (one.disputes as StripeDispute[]).map(({ amount, status }) => [amount, status]),
  }));
}

/** Runs the year through our API; `steps` says how the time between two actions passes. */
async function live(steps: 'daily' | 'in one jump'): Promise<{ lines: Line[]; endsAt: number; topics: string[] }> {
  const billing = await withClinic({ stripe: true });
  running.push(billing);
  const app: Context = asApplication(billing.services, billing.tenant);
  const on = { stripeAccount: billing.stripe.accountId };
  const clock = (at: number) => billing.stripe.control('clock', { set: new Date(at * 1000).toISOString() });
  let now = BEGIN;
  const settle = () => settled(billing, app);
  const until = async (at: number) => {
    if (steps === 'daily') for (now += DAY; now < at; now += DAY) await clock(now);
    await clock(at);
    now = at;
    await settle();
  };

  await clock(BEGIN);
  const patient_id = await billing.patient();
  const trial = await billing.stripe.price({ trial: String(TRIAL_DAYS), unit_amount: CHEAP });
  const expensive = await billing.stripe.price({ unit_amount: EXPENSIVE });
  const subscription = await createSubscription(app, { patient_id, price_ids: [trial] });
  await billing.stripe.pay(subscription);
  await settle();
  const { customerId } = await app.db.processorCustomer.findFirstOrThrow({ where: { patientId: patient_id } });
  const card = (name: string) => billing.stripe.api.paymentMethods.attach(name, { customer: customerId }, on);
  const payWith = async (name: string) =>
    setDefaultCard(app, { patient_id, id: (await card(name)).id, is_default: true });
  const row = () => app.db.subscription.findFirstOrThrow({ where: { id: subscription.id } });
  const billed = () =>
    app.db.payment.findMany({ where: { subscriptionId: subscription.id }, orderBy: { createdAt: 'asc' } });
  const latest = async () => (await billed()).at(-1)!;
  const isNow = async (status: string) => expect([steps, (await row()).status]).toEqual([steps, status]);

  await isNow('trialing');
  await until(atPeriod(1, 1));
  await isNow('active');
  await until(atPeriod(2, 20));
  await payWith('pm_card_chargeCustomerFail');
  await until(atPeriod(3, 6));
  await isNow('past_due');
  expect((await latest()).failure).toMatchObject({ code: expect.any(String) });
  await payWith('pm_card_visa');
  await until(atPeriod(3, 12));
  await isNow('active');
  await until(atPeriod(4, 10) + 60);
  const proration_date = new Date((atPeriod(4, 10) + (await skew(app, subscription.id))) * 1000).toISOString();
  await updateSubscription(app, { id: subscription.id, price_ids: [expensive], proration: 'now', proration_date });
  await until(atPeriod(5, 3));
  await refundPayment(app, { id: (await latest()).id, amount: REFUNDED });
  await until(atPeriod(6, 5));
  const { paymentIntentIds } = await latest();
  const { data } = await billing.stripe.api.charges.list({ payment_intent: paymentIntentIds[0]! }, on);
  await billing.stripe.control('trigger', { name: 'dispute', charge: data[0]!.id, account: billing.stripe.accountId });
  await until(atPeriod(8, 9));
  await cancelSubscription(app, { id: subscription.id, cancel_at_period_end: true });
  await isNow('active');
  await until(BEGIN + 365 * DAY);
  await isNow('canceled');

  expect([steps, await differencesToStripe(billing, app, subscription.id)]).toEqual([steps, []]);
  expect([steps, await paymentDifferences(billing, app, subscription.id)]).toEqual([steps, []]);
  const lines = await linesOf(app, subscription.id);
  const events = await app.db.event.findMany({ where: { objectId: subscription.id }, orderBy: { position: 'asc' } });
  return { lines, endsAt: hoursIn((await row()).endedAt)!, topics: events.map(({ eventTopic }) => eventTopic) };
}

/** The seconds between setting the clock and the start of the trial. */
async function skew(app: Context, id: string): Promise<number> {
  const { trialStart } = await app.db.subscription.findFirstOrThrow({ where: { id } });
  return trialStart!.getTime() / 1000 - BEGIN;
}

test('a year of a subscription is equal to the cent day by day, in steps and calculated', async () => {
  const lived = await Promise.all([live('in one jump'), ...(LONG ? [live('daily')] : [])]);
  const { lines, endsAt, left, proration } = ledgerByHand();
  const retained = (of: Line[]) =>
    of.reduce((sum, { paid, refunds, disputed }) => {
      const returned = [...refunds, ...disputed.map(([amount]) => amount)].reduce((all, one) => all + one, 0);
      return sum + paid - returned;
    }, 0);
  for (const year of lived) {
    expect(year.lines).toEqual(lines);
    expect([year.endsAt, retained(year.lines)]).toEqual([endsAt, left]);
    const { topics } = year;
    const count = (wanted: string) => topics.filter((topic) => topic === wanted).length;
    expect(['payment_succeeded', 'refunded', 'disputed', 'created', 'canceled'].map(count)).toEqual([9, 1, 1, 1, 1]);
  }
  console.info(
    `a year of billing: ${lines.length} bills, ${proration} for the change, ${left} kept, the same each time`,
  );
}, 240_000);

/** The duration of the coupon in months, from the start of the trial. */
const HALF_MONTHS = 3;
/** In the short form it ends a few invoices after the coupon. */
const UNTIL_DAY = LONG ? 300 : 140;

/** Runs two subscriptions without further action: one with a future cancellation, one with a card that never pays. */
async function leftAlone(steps: 'daily' | 'at once') {
  const billing = await withClinic({ stripe: true });
  running.push(billing);
  const app: Context = asApplication(billing.services, billing.tenant);
  const on = { stripeAccount: billing.stripe.accountId };
  const clock = (at: number) => billing.stripe.control('clock', { set: new Date(at * 1000).toISOString() });
  await clock(BEGIN);
  const begin = async (card: string) => {
    const price = await billing.stripe.price({ trial: String(TRIAL_DAYS), unit_amount: CHEAP });
    const subscription = await createSubscription(app, { patient_id: await billing.patient(), price_ids: [price] });
    await billing.stripe.pay(subscription, card);
    return subscription.id;
  };
  const retained = await begin(CARD.good);
  const coupon = { percent_off: 50, duration: 'repeating', duration_in_months: HALF_MONTHS } as const;
  const { id } = await billing.stripe.api.coupons.create(coupon, on);
  const change = { discounts: [{ coupon: id }], cancel_at: BEGIN + UNTIL_DAY * DAY };
  await billing.stripe.api.subscriptions.update(retained, change, on);
  const unpaid = await begin(CARD.failsLater);
  await settled(billing, app);
  const end = BEGIN + 365 * DAY;
  if (steps === 'daily') for (let now = BEGIN + DAY; now < end; now += DAY) await clock(now);
  await clock(end);
  await settled(billing, app);
  const lived = [];
  for (const one of [retained, unpaid]) {
    expect([steps, await differencesToStripe(billing, app, one)]).toEqual([steps, []]);
    expect([steps, await paymentDifferences(billing, app, one)]).toEqual([steps, []]);
    const { status, endedAt } = await app.db.subscription.findFirstOrThrow({ where: { id: one } });
    lived.push({ status, endsAt: hoursIn(endedAt), lines: await linesOf(app, one) });
  }
  return lived;
}

/** Calculates the same independently. */
function leftAloneByHand() {
  const hours = (at: number) => Math.floor((at - BEGIN) / 3600);
  const line = (reason: string, rest: Partial<Line>): Line => ({
    ...{ reason, total: 0, paid: 0, paidAt: 0, attempts: 0, refunds: [], disputed: [] },
    ...rest,
  });
  const start = line('subscription_create', {});
  const halfUntil =
    Temporal.Instant.fromEpochMilliseconds(BEGIN * 1000)
      .toZonedDateTimeISO('UTC')
      .add({ months: HALF_MONTHS }).epochMilliseconds / 1000;
  const periods = Array.from({ length: 12 }, (_, n) => atPeriod(n + 1, 0));
  const cycles = periods
    .filter((at) => at < BEGIN + UNTIL_DAY * DAY)
    .map((at) => {
      const total = at < halfUntil ? CHEAP / 2 : CHEAP;
      return line('subscription_cycle', { total, paid: total, paidAt: hours(at) + 1, attempts: 1 });
    });
  const failing = line('subscription_cycle', { total: CHEAP, paidAt: null, attempts: RETRIES.length + 1 });
  const finalAttemptAt = hours(periods[0]!) + 1 + 24 * RETRIES.reduce((sum, days) => sum + days, 0);
  return [
    { status: 'canceled', endsAt: UNTIL_DAY * 24, lines: [start, ...cycles] },
    { status: 'canceled', endsAt: finalAttemptAt, lines: [start, failing] },
  ];
}

test('a year without any action is equal to the cent day by day, in one step and calculated', async () => {
  const lived = await Promise.all([leftAlone('at once'), ...(LONG ? [leftAlone('daily')] : [])]);
  const byHand = leftAloneByHand();
  for (const year of lived) expect(year).toEqual(byHand);
  console.info(`a year in one jump: ${byHand.flatMap(({ lines }) => lines).length} bills, the same each time`);
}, 240_000);
