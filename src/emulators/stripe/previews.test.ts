import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { type Bench, CARDS, DAY, HOUR, openBench } from './test-bench.ts';

type Line = Stripe.InvoiceLineItem;
type Details = Stripe.InvoiceCreatePreviewParams.SubscriptionDetails;

/** The part of an amount that remains of a period at `at`, by the second. Independent of the implementation. */
const remainingPart = (amount: number, { start, end }: { start: number; end: number }, at: number) =>
  Math.round((amount * (end - at)) / (end - start));

const periodOf = ({ items }: Stripe.Subscription) => ({
  start: items.data[0]!.current_period_start,
  end: items.data[0]!.current_period_end,
});
const amounts = ({ lines }: Stripe.Invoice) => lines.data.map(({ amount }) => amount);
const preview = (bench: Bench, subscription: string, details: Details = {}) =>
  bench.stripe.invoices.createPreview({ subscription, subscription_details: details }, bench.on);
/** Everything that the account stores, except delivery states of its webhooks. */
const snapshot = ({ account, emulator }: Bench) => {
  const { event, ...objects } = emulator.world.state.accounts[account]!.objects;
  return JSON.stringify([objects, Object.keys(event)]);
};
const isProration = ({ parent }: Line) => parent!.subscription_item_details!.proration;

test('a preview without a change is the next renewal and stores nothing', async () => {
  const bench = await openBench();
  const subscription = await bench.paid();
  const before = snapshot(bench);
  const upcoming = await preview(bench, subscription.id);
  expect(snapshot(bench)).toBe(before);
  const { end } = periodOf(subscription);
  expect(upcoming).toMatchObject({
    amount_due: 4900,
    billing_reason: 'upcoming',
    created: end,
    number: null,
    status: 'draft',
  });
  expect(upcoming.id).toMatch(/^upcoming_in_/);
  expect(upcoming.lines.data[0]!.period.start).toBe(end);
});

test('a more expensive plan is credited and charged by the second, immediately or with the next invoice', async () => {
  const bench = await openBench();
  const subscription = await bench.paid();
  const expensive = await bench.price({ unit_amount: 9900 });
  await bench.advance(11 * DAY + 5 * HOUR + 7);
  const items = [{ id: subscription.items.data[0]!.id, price: expensive.id }];
  const at = Math.floor(Date.now() / 1000) + 11 * DAY + 5 * HOUR + 30;
  const period = periodOf(subscription);
  const parts = [-remainingPart(4900, period, at), remainingPart(9900, period, at)];

  const later = await preview(bench, subscription.id, { items, proration_date: at });
  expect(amounts(later)).toEqual([...parts, 9900]);
  const now = await preview(bench, subscription.id, {
    items,
    proration_date: at,
    proration_behavior: 'always_invoice',
  });
  expect(amounts(now)).toEqual(parts);
  expect(now.total).toBe(parts[0]! + parts[1]!);
  const none = await preview(bench, subscription.id, { items, proration_behavior: 'none' });
  expect(amounts(none)).toEqual([9900]);

  // The update produces the amounts of the preview for the same instant.
  const changed = await bench.stripe.subscriptions.update(
    subscription.id,
    { items, proration_behavior: 'always_invoice', proration_date: at, expand: ['latest_invoice'] },
    bench.on,
  );
  const invoice = changed.latest_invoice as Stripe.Invoice;
  expect(amounts(invoice)).toEqual(parts);
  expect(invoice).toMatchObject({ status: 'paid', billing_reason: 'subscription_update', amount_paid: now.total });
});

test('proration lines name their item, their price with its product, and the credited line', async () => {
  const bench = await openBench();
  const subscription = await bench.paid();
  const [first] = await bench.invoicesOf(subscription.id);
  const expensive = await bench.price({ unit_amount: 9900 });
  const item = subscription.items.data[0]!;
  const { lines } = await preview(bench, subscription.id, {
    items: [{ id: item.id, price: expensive.id, quantity: 2 }],
  });
  const [credit, debit, plan] = lines.data as [Line, Line, Line];
  expect(lines.data.map(isProration)).toEqual([true, true, false]);
  for (const line of lines.data) {
    expect(line.subscription).toBe(subscription.id);
    expect(line.parent!.subscription_item_details!.subscription_item).toBe(item.id);
    expect(String(line.quantity_decimal)).toBe(String(line.quantity));
  }
  expect(credit.parent!.subscription_item_details!.proration_details!.credited_items).toEqual({
    invoice: first!.id,
    invoice_line_items: [first!.lines.data[0]!.id],
  });
  expect(debit.pricing!.price_details).toEqual({ price: expensive.id, product: expensive.product });
  expect([credit.quantity, debit.quantity, plan.quantity, plan.amount]).toEqual([1, 2, 2, 19_800]);
  expect(credit.description).toMatch(/^Unused time on Care plan after \d\d \w+ \d{4}$/);
  expect(debit.description).toMatch(/^Remaining time on 2 × Care plan after /);
});

test('a credit is what was debited, net of discounts, and nothing for what was never billed', async () => {
  const bench = await openBench();
  const coupon = await bench.stripe.coupons.create({ percent_off: 20, duration: 'forever' }, bench.on);
  const subscription = await bench.paid(CARDS.good, { discounts: [{ coupon: coupon.id }] });
  const [medium, expensive] = [await bench.price({ unit_amount: 6900 }), await bench.price({ unit_amount: 9900 })];
  await bench.advance(9 * DAY);
  const period = periodOf(subscription);
  const at = Math.floor(Date.now() / 1000) + 9 * DAY + 60;
  const id = subscription.items.data[0]!.id;
  // Changed without a proration: the debited amount is still that of the first price.
  await bench.stripe.subscriptions.update(
    subscription.id,
    { items: [{ id, price: medium.id }], proration_behavior: 'none' },
    bench.on,
  );
  const moved = await preview(bench, subscription.id, {
    items: [{ id, price: expensive.id }],
    proration_behavior: 'always_invoice',
    proration_date: at,
  });
  expect(amounts(moved)).toEqual([-remainingPart(3920, period, at), remainingPart(7920, period, at)]);
  const added = await bench.stripe.subscriptions.update(
    subscription.id,
    { items: [{ price: expensive.id }], proration_behavior: 'none' },
    bench.on,
  );
  const extra = added.items.data.find(({ price }) => price.id === expensive.id)!;
  const removed = await preview(bench, subscription.id, {
    items: [{ id: extra.id, deleted: true }],
    proration_behavior: 'create_prorations',
  });
  expect(removed.lines.data.filter(isProration)).toEqual([]);
});

test('previews quantities, another interval, a trial and a cancellation', async () => {
  const bench = await openBench();
  const subscription = await bench.paid();
  const { id } = subscription.items.data[0]!;
  const yearly = await bench.price({ unit_amount: 49_000, recurring: { interval: 'year' } });
  const at = Math.floor(Date.now() / 1000) + 30;
  const period = periodOf(subscription);
  const credit = -remainingPart(4900, period, at);
  const of = (details: Details) => preview(bench, subscription.id, { proration_date: at, ...details });
  expect(amounts(await of({ items: [{ id, quantity: 3 }], proration_behavior: 'always_invoice' }))).toEqual([
    credit,
    remainingPart(14_700, period, at),
  ]);
  expect(amounts(await of({ items: [{ id, price: yearly.id }] }))).toEqual([credit, 49_000]);
  expect(amounts(await of({ billing_cycle_anchor: { type: 'now' } }))).toEqual([credit, 4900]);
  const trial = await of({ trial_end: at + 20 * DAY });
  expect(amounts(trial)).toEqual([credit, 0]);
  const [unused] = amounts(await preview(bench, subscription.id, { cancel_now: true }));
  expect(Math.abs(unused! + 4900)).toBeLessThan(3);
  await expect(of({ cancel_at_period_end: true })).rejects.toMatchObject({
    code: 'invoice_upcoming_none',
    statusCode: 404,
  });
  await expect(of({ items: [{ id, price: 'price_none' }] })).rejects.toMatchObject({ code: 'resource_missing' });
  await expect(of({ items: [{ id, quantity: 2 }], proration_date: period.end + DAY })).rejects.toMatchObject({
    param: 'proration_date',
  });
  expect(await bench.invoicesOf(subscription.id)).toHaveLength(1);
});

test('previews a trial’s first invoice and the first invoice of a new subscription', async () => {
  const bench = await openBench();
  const price = await bench.price();
  const trialing = await bench.subscribe({ price: price.id, trial_period_days: 7 });
  expect(await preview(bench, trialing.id)).toMatchObject({ amount_due: 4900, created: trialing.trial_end });
  const coupon = await bench.stripe.coupons.create({ percent_off: 50, duration: 'once' }, bench.on);
  const before = snapshot(bench);
  const first = await bench.stripe.invoices.createPreview(
    { discounts: [{ coupon: coupon.id }], subscription_details: { items: [{ price: price.id, quantity: 2 }] } },
    bench.on,
  );
  expect(first).toMatchObject({ amount_due: 4900, subtotal: 9800, customer: null });
  expect(first.total_discount_amounts![0]!.amount).toBe(4900);
  expect(snapshot(bench)).toBe(before);
});

test('preview_mode recurring omits prorations, for a subscription and for a customer', async () => {
  const bench = await openBench();
  const { customer, id, items } = await bench.paid();
  await bench.stripe.subscriptions.update(id, { items: [{ id: items.data[0]!.id, quantity: 2 }] }, bench.on);
  const of = async (params: Stripe.InvoiceCreatePreviewParams) =>
    amounts(await bench.stripe.invoices.createPreview(params, bench.on));
  for (const whose of [{ subscription: id }, { customer: customer as string }]) {
    expect(await of(whose)).toHaveLength(3);
    expect(await of({ ...whose, preview_mode: 'recurring' })).toEqual([9800]);
  }
});

test('remaining credit stays on the customer and pays later invoices', async () => {
  const bench = await openBench();
  const subscription = await bench.paid();
  const cheap = await bench.price({ unit_amount: 900 });
  const items = [{ id: subscription.items.data[0]!.id, price: cheap.id }];
  const { latest_invoice } = await bench.stripe.subscriptions.update(
    subscription.id,
    { items, proration_behavior: 'always_invoice', expand: ['latest_invoice'] },
    bench.on,
  );
  const { total } = latest_invoice as Stripe.Invoice;
  expect(total).toBeLessThan(-3900);
  const next = await preview(bench, subscription.id);
  expect(next).toMatchObject({ amount_due: 0, starting_balance: total, ending_balance: total + 900 });
  await bench.advance(32 * DAY);
  expect((await bench.invoicesOf(subscription.id))[0]).toMatchObject({ amount_due: 0, status: 'paid' });
});

test('after any sequence of changes, each invoice equals an independent calculation', async () => {
  const bench = await openBench();
  const subscription = await bench.paid();
  const { id } = subscription.items.data[0]!;
  const period = periodOf(subscription);
  const units = [700, 1999, 4900, 9901, 12_345];
  const prices: string[] = [];
  for (const unit_amount of units) prices.push((await bench.price({ unit_amount })).id);
  // A deterministic pseudo-random sequence.
  let [state, moved, debited] = [20_261_122, 0, 4900];
  const draw = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let round = 0; round < 12; round++) {
    const seconds = 60 + draw(2 * DAY);
    await bench.advance(seconds);
    moved += seconds;
    const at = Math.floor(Date.now() / 1000) + moved;
    // Never the same price twice in a row, which would be no change.
    const [price, quantity] = [(round + draw(2) * 2) % prices.length, 1 + (round % 4)];
    const whole = units[price]! * quantity;
    const change = {
      items: [{ id, price: prices[price]!, quantity }],
      proration_behavior: 'always_invoice' as const,
      proration_date: at,
    } satisfies Stripe.SubscriptionUpdateParams;
    const expected = [-remainingPart(debited, period, at), remainingPart(whole, period, at)];
    expect(amounts(await preview(bench, subscription.id, change))).toEqual(expected);
    const { latest_invoice } = await bench.stripe.subscriptions.update(
      subscription.id,
      { ...change, expand: ['latest_invoice'] },
      bench.on,
    );
    expect(amounts(latest_invoice as Stripe.Invoice)).toEqual(expected);
    debited = whole;
  }
});
