import type Stripe from 'stripe';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { type Bench, CARDS, DAY, EVENT_TIMEOUT, HOUR, openBench, secretOf } from './test-bench.ts';

const now = () => Math.floor(Date.now() / 1000);
const itemOf = ({ items }: Stripe.Subscription) => items.data[0]!;
const update = (bench: Bench, id: string, params: Stripe.SubscriptionUpdateParams) =>
  bench.stripe.subscriptions.update(id, { ...params, expand: ['latest_invoice'] }, bench.on);
const latest = ({ latest_invoice }: Stripe.Subscription) => latest_invoice as Stripe.Invoice;
const amounts = ({ lines }: Stripe.Invoice) => lines.data.map(({ amount }) => amount);
/** Attaches a method that can be saved but not charged. */
const failing = async (bench: Bench, customer: string) =>
  (await bench.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer }, bench.on)).id;

test.each([
  ['create_prorations', 1, [-4900, 9900, 9900]],
  ['always_invoice', 2, [9900]],
  ['none', 1, [9900]],
] as const)(
  'a change with %s creates its invoices and the lines of the renewal',
  async (behavior, invoices, renewal) => {
    const bench = await openBench();
    const paid = await bench.paid();
    const expensive = await bench.price({ unit_amount: 9900 });
    const items = [{ id: itemOf(paid).id, price: expensive.id }];
    // At the start of the period, so that the amounts are whole.
    const at = itemOf(paid).current_period_start;
    const changed = await update(bench, paid.id, { items, proration_behavior: behavior, proration_date: at });
    expect(itemOf(changed).price.id).toBe(expensive.id);
    expect(await bench.invoicesOf(paid.id)).toHaveLength(invoices);
    if (behavior === 'always_invoice') expect(amounts(latest(changed))).toEqual([-4900, 9900]);
    await bench.advance(32 * DAY);
    expect(amounts((await bench.invoicesOf(paid.id))[0]!)).toEqual(renewal);
  },
);

test('items can be added, counted and removed, but not all of them, twice or from other subscriptions', async () => {
  const bench = await openBench();
  const paid = await bench.paid();
  const extra = await bench.price({ unit_amount: 1000 });
  const more = await update(bench, paid.id, { items: [{ price: extra.id, quantity: 2 }] });
  expect(more.items.data.map(({ quantity }) => quantity)).toEqual([1, 2]);
  const added = more.items.data[1]!;
  const fewer = await update(bench, paid.id, { items: [{ id: added.id, deleted: true }] });
  expect(fewer.items.data).toHaveLength(1);
  const price = itemOf(paid).price.id;
  for (const items of [[{ id: itemOf(paid).id, deleted: true }], [{ price }], [{ id: added.id, quantity: 1 }]]) {
    const before = await bench.get(paid.id);
    await expect(update(bench, paid.id, { items })).rejects.toMatchObject({ statusCode: 400 });
    expect((await bench.get(paid.id)).items).toEqual(before.items);
  }
});

test('error_if_incomplete changes nothing when the card fails; default_incomplete waits for the payment', async () => {
  const bench = await openBench();
  const paid = await bench.paid();
  const expensive = await bench.price({ unit_amount: 9900 });
  const items = [{ id: itemOf(paid).id, price: expensive.id }];
  await update(bench, paid.id, { default_payment_method: await failing(bench, paid.customer as string) });
  const charge = { items, proration_behavior: 'always_invoice' } as const;
  await expect(update(bench, paid.id, { ...charge, payment_behavior: 'error_if_incomplete' })).rejects.toMatchObject({
    statusCode: 402,
    type: 'StripeCardError',
  });
  expect(itemOf(await bench.get(paid.id)).price.unit_amount).toBe(4900);
  expect(await bench.invoicesOf(paid.id)).toHaveLength(1);
  const waiting = await bench.stripe.subscriptions.update(
    paid.id,
    { ...charge, payment_behavior: 'default_incomplete', expand: ['latest_invoice.confirmation_secret'] },
    bench.on,
  );
  expect([waiting.status, latest(waiting).status, latest(waiting).attempt_count]).toEqual(['past_due', 'open', 0]);
  await bench.confirm(latest(waiting).confirmation_secret!.client_secret, CARDS.good);
  expect((await bench.get(paid.id)).status).toBe('active');
});

test('a change whose payment fails makes the subscription past due until the invoice is paid', async () => {
  const bench = await openBench();
  const paid = await bench.paid();
  const expensive = await bench.price({ unit_amount: 9900 });
  await update(bench, paid.id, { default_payment_method: await failing(bench, paid.customer as string) });
  const pastDue = await update(bench, paid.id, {
    items: [{ id: itemOf(paid).id, price: expensive.id }],
    proration_behavior: 'always_invoice',
  });
  expect([pastDue.status, latest(pastDue).status]).toEqual(['past_due', 'open']);
  const method = await bench.stripe.paymentMethods.attach(
    'pm_card_visa',
    { customer: paid.customer as string },
    bench.on,
  );
  const paidInvoice = await bench.stripe.invoices.pay(latest(pastDue).id!, { payment_method: method.id }, bench.on);
  expect(paidInvoice.status).toBe('paid');
  expect((await bench.get(paid.id)).status).toBe('active');
});

test('pending_if_incomplete applies the change once its invoice is paid, and changes nothing before', async () => {
  const bench = await openBench();
  const expensive = await bench.price({ unit_amount: 9900 });
  const change = (paid: Stripe.Subscription) => ({
    items: [{ id: itemOf(paid).id, price: expensive.id }],
    ...({ proration_behavior: 'always_invoice', payment_behavior: 'pending_if_incomplete' } as const),
  });
  const good = await bench.paid();
  const updated = await update(bench, good.id, change(good));
  expect([itemOf(updated).price.id, latest(updated).status, updated.pending_update]).toEqual([
    expensive.id,
    'paid',
    null,
  ]);

  const paid = await bench.paid();
  const customer = paid.customer as string;
  await update(bench, paid.id, { default_payment_method: await failing(bench, customer) });
  const waiting = await update(bench, paid.id, change(paid));
  expect([waiting.status, itemOf(waiting).price.unit_amount, latest(waiting).status]).toEqual(['active', 4900, 'open']);
  expect(waiting.pending_update).toMatchObject({
    expires_at: expect.any(Number),
    subscription_items: [{ price: { id: expensive.id } }],
  });
  expect(latest(waiting).next_payment_attempt).toBeNull();
  const card = await bench.stripe.paymentMethods.attach('pm_card_visa', { customer }, bench.on);
  await bench.stripe.invoices.pay(latest(waiting).id!, { payment_method: card.id }, bench.on);
  const applied = await bench.get(paid.id);
  expect([itemOf(applied).price.id, applied.status, applied.pending_update]).toEqual([expensive.id, 'active', null]);
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('customer.subscription.pending_update_applied');
});

test('an unpaid pending change expires within a day, and another change replaces it before', async () => {
  const bench = await openBench();
  const paid = await bench.paid();
  await update(bench, paid.id, { default_payment_method: await failing(bench, paid.customer as string) });
  const requestUpdate = async (unit_amount: number) =>
    update(bench, paid.id, {
      items: [{ id: itemOf(paid).id, price: (await bench.price({ unit_amount })).id }],
      ...({ proration_behavior: 'always_invoice', payment_behavior: 'pending_if_incomplete' } as const),
    });
  const [first, second] = [await requestUpdate(9900), await requestUpdate(19_900)];
  const statusOf = async (subscription: Stripe.Subscription) =>
    (await bench.stripe.invoices.retrieve(latest(subscription).id!, {}, bench.on)).status;
  expect([await statusOf(first), await statusOf(second)]).toEqual(['void', 'open']);
  await bench.advance(24 * HOUR);
  const expired = await bench.get(paid.id);
  expect([expired.status, itemOf(expired).price.unit_amount, expired.pending_update]).toEqual(['active', 4900, null]);
  expect(await statusOf(second)).toBe('void');
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('customer.subscription.pending_update_expired');
  const pending = { payment_behavior: 'pending_if_incomplete' } as const;
  for (const unsupported of [{ metadata: { a: 'b' } }, { cancel_at_period_end: true }, { description: 'x' }])
    await expect(update(bench, paid.id, { ...pending, ...unsupported })).rejects.toMatchObject({ statusCode: 400 });
});

test('trial_end now pauses a subscription without a card and ends its trial', async () => {
  const bench = await openBench();
  const end_behavior = { missing_payment_method: 'pause' as const };
  const trialing = await bench.subscribe({ trial_period_days: 7, trial_settings: { end_behavior } });
  const paused = await update(bench, trialing.id, { trial_end: 'now' });
  expect(paused.status).toBe('paused');
  expect(paused.trial_end).toBeLessThanOrEqual(now() + 1);
});

test('canceling with prorate and invoice_now credits the unused time', async () => {
  const bench = await openBench();
  const paid = await bench.paid();
  await bench.advance(10 * DAY);
  const { current_period_start: start, current_period_end: end } = itemOf(paid);
  const ended = await bench.stripe.subscriptions.cancel(
    paid.id,
    { invoice_now: true, prorate: true, expand: ['latest_invoice'] },
    bench.on,
  );
  const [credit] = amounts(latest(ended));
  expect(Math.abs(credit! + Math.round((4900 * (end - ended.ended_at!)) / (end - start)))).toBe(0);
  const { balance } = (await bench.stripe.customers.retrieve(paid.customer as string, {}, bench.on)) as Stripe.Customer;
  expect([ended.status, balance, latest(ended).status]).toEqual(['canceled', credit, 'paid']);
  const other = await bench.paid();
  await bench.stripe.subscriptions.cancel(other.id, { prorate: true }, bench.on);
  expect(await bench.invoicesOf(other.id)).toHaveLength(1);
});

test('a scheduled end can be undone, set by either cancel_at or cancel_at_period_end', async () => {
  const bench = await openBench();
  const paid = await bench.paid();
  const end = itemOf(paid).current_period_end;
  const at = now() + 5 * DAY;
  expect(await update(bench, paid.id, { cancel_at: at })).toMatchObject({ cancel_at: at, cancel_at_period_end: false });
  expect(await update(bench, paid.id, { cancel_at: '' })).toMatchObject({ cancel_at: null, canceled_at: null });
  expect((await update(bench, paid.id, { cancel_at: 'min_period_end' })).cancel_at).toBe(end);
  const resumed = await update(bench, paid.id, { cancel_at_period_end: false });
  expect([resumed.cancel_at, resumed.cancellation_details!.reason]).toEqual([null, null]);
  await bench.advance(40 * DAY);
  expect((await bench.get(paid.id)).status).toBe('active');
});

test('a trial can be extended, ended immediately, or given to a paying customer', async () => {
  const bench = await openBench();
  const trialing = await bench.paid(CARDS.good, { trial_period_days: 7 });
  const longer = await update(bench, trialing.id, { trial_end: now() + 20 * DAY });
  expect([longer.status, longer.trial_start]).toEqual(['trialing', trialing.trial_start]);
  await bench.advance(10 * DAY);
  expect((await bench.get(trialing.id)).status).toBe('trialing');
  const ended = await update(bench, trialing.id, { trial_end: 'now' });
  expect([ended.status, latest(ended).amount_paid]).toEqual(['active', 4900]);
  const paid = await bench.paid();
  const extended = await update(bench, paid.id, { trial_end: now() + 40 * DAY });
  expect(extended.status).toBe('trialing');
  expect(amounts(latest(extended))[0]).toBeLessThan(-4890);
  await expect(update(bench, paid.id, { trial_end: now() - DAY })).rejects.toMatchObject({ param: 'trial_end' });
});

test('the first period after a trial that ends early can keep the anchor', async () => {
  const bench = await openBench();
  const end_behavior = { billing_cycle_anchor: 'unchanged', missing_payment_method: 'cancel' } as const;
  const trialing = await bench.paid(CARDS.good, { trial_period_days: 10, trial_settings: { end_behavior } });
  expect(trialing.trial_settings!.end_behavior).toEqual(end_behavior);
  const ended = await update(bench, trialing.id, { trial_end: 'now' });
  expect(itemOf(ended).current_period_end).toBe(trialing.trial_end);
  // A whole period is a month that ends at the anchor; it starts on
  // the month's last day if the month lacks the anchor's day.
  const anchor = Temporal.Instant.fromEpochMilliseconds(trialing.trial_end! * 1000).toZonedDateTimeISO('UTC');
  const whole = trialing.trial_end! - anchor.subtract({ months: 1 }).epochMilliseconds / 1000;
  const share = (trialing.trial_end! - itemOf(ended).current_period_start) / whole;
  expect(Math.abs(latest(ended).amount_paid - 4900 * share)).toBeLessThanOrEqual(1);
  const other = await bench.paid(CARDS.good, { trial_period_days: 10 });
  expect(other.trial_settings!.end_behavior).toEqual({
    billing_cycle_anchor: null,
    missing_payment_method: 'create_invoice',
  });
});

test.each([
  ['keep_as_draft', 'draft'],
  ['mark_uncollectible', 'uncollectible'],
  ['void', 'void'],
] as const)('with collection paused as %s a renewal becomes %s, until collection resumes', async (behavior, status) => {
  const bench = await openBench();
  const paid = await bench.paid();
  const resumes_at = now() + 40 * DAY;
  const paused = await update(bench, paid.id, { pause_collection: { behavior, resumes_at } });
  expect([paused.status, paused.pause_collection]).toEqual(['active', { behavior, resumes_at }]);
  await bench.advance(32 * DAY);
  expect((await bench.invoicesOf(paid.id))[0]!.status).toBe(status);
  await bench.advance(9 * DAY);
  expect((await bench.get(paid.id)).pause_collection).toBeNull();
  await bench.advance(31 * DAY);
  expect((await bench.invoicesOf(paid.id))[0]!.status).toBe('paid');
  await update(bench, paid.id, { pause_collection: { behavior } });
  expect((await update(bench, paid.id, { pause_collection: '' })).pause_collection).toBeNull();
});

test('a trial without a card shows why it is paused, and resumes with a card', async () => {
  const bench = await openBench();
  const { id, customer } = await bench.subscribe({
    trial_period_days: 3,
    trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
  });
  await bench.advance(3 * DAY + HOUR);
  const paused = await bench.get(id);
  expect(paused.status_details!.paused.subscription.type).toBe('trial_end_without_payment_method');
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('customer.subscription.paused');
  const method = await bench.stripe.paymentMethods.attach('pm_card_visa', { customer: customer as string }, bench.on);
  await update(bench, id, { default_payment_method: method.id });
  const resumed = await bench.stripe.subscriptions.resume(id, { billing_cycle_anchor: { type: 'now' } }, bench.on);
  expect([resumed.status, resumed.status_details]).toEqual(['active', undefined]);
  // Newest first. `previous_attributes` contains removed fields and no added ones.
  const type = 'customer.subscription.updated';
  const { data } = await bench.stripe.events.list({ type }, bench.on);
  const former = data.map((event) => event.data.previous_attributes as Partial<Stripe.Subscription>);
  expect(
    former
      .filter(({ status }) => status)
      .map((subscription) => [subscription.status, 'status_details' in subscription]),
  ).toEqual([
    ['paused', true],
    ['trialing', false],
  ]);
});

test('new subscriptions use flexible billing mode, and items show until when they were billed', async () => {
  const bench = await openBench();
  const started = await bench.subscribe({ billing_mode: { type: 'flexible' } });
  for (const { billing_mode } of [started, await bench.subscribe()]) expect(billing_mode.type).toBe('flexible');
  const item = itemOf(started);
  expect([item.billed_until, item.current_trial]).toEqual([item.current_period_end, null]);
  const classic = bench.subscribe({ billing_mode: { type: 'classic' } });
  await expect(classic).rejects.toMatchObject({ param: 'billing_mode[type]' });
});

test('an account without onboarding cannot subscribe, pay or sell', async () => {
  const bench = await openBench();
  const price = await bench.price();
  await bench.control('trigger', { name: 'restrict', account: bench.account });
  const { id: customer } = await bench.stripe.customers.create({}, bench.on);
  const rejection = { statusCode: 400, message: expect.stringContaining('cannot currently make charges') };
  await expect(bench.subscribe({ customer, price: price.id })).rejects.toMatchObject(rejection);
  await expect(bench.stripe.paymentIntents.create({ amount: 100, currency: 'usd' }, bench.on)).rejects.toMatchObject(
    rejection,
  );
  const line_items = [{ price: price.id }];
  const success_url = 'https://clinic.example.test';
  await expect(
    bench.stripe.checkout.sessions.create({ mode: 'subscription', line_items, success_url }, bench.on),
  ).rejects.toMatchObject(rejection);
  expect((await bench.stripe.subscriptions.list({ status: 'all' }, bench.on)).data).toEqual([]);
  await bench.control('trigger', { name: 'complete_onboarding', account: bench.account });
  expect(secretOf(await bench.subscribe({ customer, price: price.id }))).toMatch(/^pi_/);
});

test('a restricted account rejects payments, and its renewals fail until charges are enabled again', async () => {
  const bench = await openBench();
  const paid = await bench.paid();
  const waiting = await bench.subscribe();
  const [open] = await bench.invoicesOf(waiting.id);
  const challenged = await bench.confirm(secretOf(await bench.subscribe()), CARDS.authenticates);
  const succeeded = async () =>
    (await bench.stripe.charges.list({}, bench.on)).data.filter(({ status }) => status === 'succeeded');
  await bench.control('trigger', { name: 'restrict', account: bench.account });
  const code = 'charge_not_allowed_on_account';
  expect(await bench.confirm(secretOf(waiting), CARDS.good)).toMatchObject({ error: { code } });
  const pay = (id: string) => bench.stripe.invoices.pay(id, { payment_method: 'pm_card_visa' }, bench.on);
  await expect(pay(open!.id!)).rejects.toMatchObject({ code });
  expect((await bench.authenticate(challenged, 'succeeded')).status).toBe('requires_action');
  const items = [{ id: itemOf(paid).id, quantity: 2 }];
  const charge = { items, proration_behavior: 'always_invoice', payment_behavior: 'error_if_incomplete' } as const;
  await expect(update(bench, paid.id, charge)).rejects.toMatchObject({ code });
  await bench.advance(itemOf(paid).current_period_end - now() + 60);
  await expect(pay((await bench.invoicesOf(paid.id))[0]!.id!)).rejects.toMatchObject({ code });
  expect((await bench.invoicesOf(paid.id))[0]!.status).toBe('draft');
  await bench.advance(2 * HOUR);
  expect((await bench.invoicesOf(paid.id))[0]).toMatchObject({
    status: 'open',
    attempt_count: 1,
    next_payment_attempt: expect.any(Number),
  });
  expect((await bench.get(paid.id)).status).toBe('past_due');
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('invoice.payment_failed');
  expect(await succeeded()).toHaveLength(1);
  await bench.control('trigger', { name: 'complete_onboarding', account: bench.account });
  await bench.advance(DAY + HOUR);
  expect((await bench.get(paid.id)).status).toBe('active');
});

test('rejects an unknown expand before any effect', async () => {
  const bench = await openBench();
  for (const expand of ['latest_invoice.payment_intent', 'data.customer', 'customer.everything', 'items']) {
    await expect(bench.subscribe({ expand: [expand] })).rejects.toMatchObject({
      message: `This property cannot be expanded (${expand}).`,
      statusCode: 400,
    });
  }
  expect((await bench.stripe.subscriptions.list({ status: 'all' }, bench.on)).data).toEqual([]);
  const paid = await bench.paid();
  const cancel = bench.stripe.subscriptions.cancel(paid.id, { expand: ['patient'] }, bench.on);
  await expect(cancel).rejects.toMatchObject({ statusCode: 400 });
  expect((await bench.get(paid.id)).status).toBe('active');
});
