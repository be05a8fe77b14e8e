import type Stripe from 'stripe';
import { beforeEach, expect, test } from 'vitest';
import { type Bench, CARDS, DAY, openBench } from './test-bench.ts';

let bench: Bench;
let monthly: Stripe.Price;
let quarterly: Stripe.Price;
beforeEach(async () => {
  bench = await openBench();
  await bench.control('clock', { set: '2037-01-01T00:00:00Z' });
  monthly = await bench.price({ unit_amount: 1500 });
  quarterly = await bench.price({ unit_amount: 10_000, recurring: { interval: 'month', interval_count: 3 } });
});

const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
const items = (...prices: Stripe.Price[]) => ({ items: prices.map(({ id: price }) => ({ price })) });
const periods = ({ items: { data } }: Stripe.Subscription) =>
  data.map((item) => [day(item.current_period_start), day(item.current_period_end)]);
/** Per invoice, oldest first: the total, then amount and period end of each line. */
const invoiceAmounts = async (id: string) =>
  (await bench.invoicesOf(id))
    .reverse()
    .map(({ total, lines }) => [total, ...lines.data.map(({ amount, period }) => [amount, day(period.end)])]);

test('bills each item in its own period, and together when the periods coincide', async () => {
  const { id } = await bench.paid(CARDS.good, items(monthly, quarterly));
  expect(periods(await bench.get(id))).toEqual([
    ['2037-01-01', '2037-02-01'],
    ['2037-01-01', '2037-04-01'],
  ]);
  for (let days = 0; days < 93; days += 3) await bench.advance(3 * DAY);
  expect(await invoiceAmounts(id)).toEqual([
    [11_500, [1500, '2037-02-01'], [10_000, '2037-04-01']],
    [1500, [1500, '2037-03-01']],
    [1500, [1500, '2037-04-01']],
    [11_500, [1500, '2037-05-01'], [10_000, '2037-07-01']],
  ]);
  expect(await bench.get(id)).toMatchObject({ status: 'active' });
  expect(periods(await bench.get(id))).toEqual([
    ['2037-04-01', '2037-05-01'],
    ['2037-04-01', '2037-07-01'],
  ]);
});

test('a trial ends for all items at once, and the first invoice contains all', async () => {
  const trial = await bench.subscribe({ ...items(monthly, quarterly), trial_period_days: 14 });
  expect(periods(trial)).toEqual([
    ['2037-01-01', '2037-01-15'],
    ['2037-01-01', '2037-01-15'],
  ]);
  const preview = await bench.stripe.invoices.createPreview({ subscription: trial.id }, bench.on);
  expect(preview.total).toBe(11_500);
  await bench.stripe.subscriptions.update(
    trial.id,
    { trial_settings: { end_behavior: { missing_payment_method: 'create_invoice' } } },
    bench.on,
  );
  await bench.advance(15 * DAY);
  expect(periods(await bench.get(trial.id))).toEqual([
    ['2037-01-15', '2037-02-15'],
    ['2037-01-15', '2037-04-15'],
  ]);
});

test('an added item with another interval is prorated, and the remaining item continues its period', async () => {
  const started = await bench.paid(CARDS.good, items(monthly));
  await bench.advance(15.5 * DAY);
  const withBoth = await bench.stripe.subscriptions.update(started.id, { items: [{ price: quarterly.id }] }, bench.on);
  expect(periods(withBoth)).toEqual([
    ['2037-01-01', '2037-02-01'],
    ['2037-01-01', '2037-04-01'],
  ]);
  const prorated = Math.round((10_000 * (90 - 15.5)) / 90);
  const preview = await bench.stripe.invoices.createPreview({ subscription: started.id }, bench.on);
  expect(preview.lines.data.map(({ amount }) => amount)).toEqual([prorated, 1500]);
  const [month] = withBoth.items.data;
  const withOne = await bench.stripe.subscriptions.update(
    started.id,
    { items: [{ id: month!.id, deleted: true }], proration_behavior: 'none' },
    bench.on,
  );
  expect(periods(withOne)).toEqual([['2037-01-01', '2037-04-01']]);
});

test('an end can be scheduled for the earliest or the latest period end', async () => {
  const { id } = await bench.paid(CARDS.good, items(monthly, quarterly));
  const ending = async (params: Stripe.SubscriptionUpdateParams) =>
    day((await bench.stripe.subscriptions.update(id, params, bench.on)).cancel_at!);
  expect(await ending({ cancel_at_period_end: true })).toBe('2037-02-01');
  expect(await ending({ cancel_at: 'min_period_end' })).toBe('2037-02-01');
  expect(await ending({ cancel_at: 'max_period_end' })).toBe('2037-04-01');
});

test('allows intervals that are multiples of the shortest, except in Checkout', async () => {
  type Recurring = NonNullable<Stripe.PriceCreateParams['recurring']>;
  const priced = (recurring: Recurring) => bench.price({ recurring });
  const trySubscribe = async (...all: [Recurring['interval'], number][]) => {
    const prices = await Promise.all(all.map(([interval, interval_count]) => priced({ interval, interval_count })));
    return bench.subscribe(items(...prices)).then(
      () => true,
      ({ param }: { param?: string }) => param,
    );
  };
  expect(await trySubscribe(['month', 1], ['year', 1])).toBe(true);
  expect(await trySubscribe(['year', 1], ['month', 12])).toBe(true);
  expect(await trySubscribe(['day', 1], ['month', 3], ['year', 2])).toBe(true);
  expect(await trySubscribe(['week', 2], ['week', 4])).toBe(true);
  expect(await trySubscribe(['week', 1], ['day', 7])).toBe(true);
  for (const misaligned of [
    [
      ['month', 2],
      ['month', 3],
    ],
    [
      ['week', 1],
      ['month', 1],
    ],
    [
      ['day', 2],
      ['week', 1],
    ],
    [
      ['month', 5],
      ['year', 1],
    ],
  ] as [Recurring['interval'], number][][])
    expect(await trySubscribe(...misaligned)).toBe('items');
  const page = bench.stripe.checkout.sessions.create(
    {
      ...{ mode: 'subscription', success_url: 'https://example.test/' },
      line_items: [monthly, quarterly].map(({ id: price }) => ({ price, quantity: 1 })),
    },
    bench.on,
  );
  await expect(page).rejects.toMatchObject({ message: expect.stringContaining('Found mismatch in interval field') });
});
