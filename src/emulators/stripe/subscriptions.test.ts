import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { type Bench, CARDS, DAY, EVENT_TIMEOUT, HOUR, openBench, secretOf } from './test-bench.ts';

test('a subscription is incomplete until its first payment, then active with the card as its default', async () => {
  const bench = await openBench();
  const started = await bench.subscribe();
  expect(started.status).toBe('incomplete');
  expect(started.pending_setup_intent).toBeNull();
  expect((started.latest_invoice as Stripe.Invoice).status).toBe('open');
  const intent = await bench.confirm(secretOf(started), CARDS.good);
  expect(intent.status).toBe('succeeded');
  expect(intent.customer).toBeUndefined();
  const active = await bench.get(started.id);
  expect(active.status).toBe('active');
  expect(active.default_payment_method).toMatch(/^pm_/);
  expect(active.items.data[0]!.current_period_end).toBeGreaterThan(active.created + 27 * DAY);
  await expect
    .poll(bench.types, EVENT_TIMEOUT)
    .toEqual(
      expect.arrayContaining([
        'customer.subscription.created',
        'invoice.created',
        'invoice.finalized',
        'payment_intent.created',
        'charge.succeeded',
        'payment_intent.succeeded',
        'invoice.paid',
        'invoice.payment_succeeded',
        'customer.subscription.updated',
      ]),
    );
  expect(
    bench.events.every(({ account, api_version }) => account === bench.account && api_version === '2026-10-28.endive'),
  ).toBe(true);
  const updated = bench.events.find(({ type }) => type === 'customer.subscription.updated')!;
  expect(updated.data.previous_attributes).toMatchObject({ status: 'incomplete', default_payment_method: null });
});

test('a declined card leaves the subscription incomplete, and another card can pay', async () => {
  const bench = await openBench();
  const started = await bench.subscribe();
  const declined = await bench.confirm(secretOf(started), CARDS.insufficient);
  expect(declined.error).toMatchObject({
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'insufficient_funds',
  });
  expect(declined.error.payment_intent.status).toBe('requires_payment_method');
  expect((await bench.get(started.id)).status).toBe('incomplete');
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('invoice.payment_failed');
  await bench.confirm(secretOf(started), CARDS.good);
  expect((await bench.get(started.id)).status).toBe('active');
});

/** Returns the 3-D Secure result of the newest charge. */
const threeDSecure = async ({ on, stripe }: Bench) =>
  (await stripe.charges.list({ limit: 1 }, on)).data[0]!.payment_method_details!.card!.three_d_secure;

test.each([
  ['succeeded', 'active', 'succeeded'],
  ['failed', 'incomplete', 'requires_payment_method'],
])('a 3-D Secure challenge that %s makes the subscription %s', async (outcome, status, intentStatus) => {
  const bench = await openBench();
  const started = await bench.subscribe();
  const challenged = await bench.confirm(secretOf(started), CARDS.authenticates);
  expect(challenged.status).toBe('requires_action');
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('invoice.payment_action_required');
  const intent = await bench.authenticate(challenged, outcome);
  expect(intent.status).toBe(intentStatus);
  if (outcome === 'failed') expect(intent.last_payment_error.code).toBe('payment_intent_authentication_failure');
  expect((await bench.get(started.id)).status).toBe(status);
  expect((await threeDSecure(bench))!.result).toBe(outcome === 'failed' ? 'failed' : 'authenticated');
  await bench.confirm(secretOf(await bench.subscribe()), CARDS.good);
  expect(await threeDSecure(bench)).toBeNull();
});

test('a card can pass 3-D Secure and be declined for insufficient funds', async () => {
  const bench = await openBench();
  const started = await bench.subscribe();
  const challenged = await bench.confirm(secretOf(started), CARDS.authenticatesThenInsufficient);
  const intent = await bench.authenticate(challenged, 'succeeded');
  expect(intent).toMatchObject({
    status: 'requires_payment_method',
    last_payment_error: { decline_code: 'insufficient_funds' },
  });
  expect((await threeDSecure(bench))!.result).toBe('authenticated');
});

test('a trial is free, requires a card setup, and is charged when it ends', async () => {
  const bench = await openBench();
  const started = await bench.subscribe({ trial_period_days: 7 });
  const invoice = started.latest_invoice as Stripe.Invoice;
  expect([started.status, invoice.status, invoice.amount_due, invoice.confirmation_secret]).toEqual([
    'trialing',
    'paid',
    0,
    null,
  ]);
  expect((started.pending_setup_intent as Stripe.SetupIntent).client_secret).toMatch(/^seti_/);
  expect((await bench.confirm(secretOf(started), CARDS.good)).status).toBe('succeeded');
  const ready = await bench.get(started.id);
  expect([ready.status, ready.pending_setup_intent]).toEqual(['trialing', null]);
  expect(ready.default_payment_method).toMatch(/^pm_/);
  await bench.advance(4 * DAY + HOUR);
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('customer.subscription.trial_will_end');
  await bench.advance(3 * DAY + HOUR);
  expect((await bench.get(started.id)).status).toBe('active');
  expect((await bench.invoicesOf(started.id)).map(({ amount_paid }) => amount_paid)).toEqual([4900, 0]);
});

test('a short trial announces its end immediately', async () => {
  const bench = await openBench();
  await bench.subscribe({ trial_period_days: 2 });
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('customer.subscription.trial_will_end');
});

test.each([
  ['cancel', 'canceled'],
  ['pause', 'paused'],
  ['create_invoice', 'past_due'],
] as const)('a trial without a card and with %s ends as %s', async (missing_payment_method, status) => {
  const bench = await openBench();
  const { id } = await bench.subscribe({
    trial_period_days: 3,
    trial_settings: { end_behavior: { missing_payment_method } },
  });
  await bench.advance(3 * DAY + 2 * HOUR);
  expect((await bench.get(id)).status).toBe(status);
});

test('after 23 hours an unpaid subscription expires, its invoice is void and its payment canceled', async () => {
  const bench = await openBench();
  const started = await bench.subscribe();
  await bench.advance(23 * HOUR - 60);
  expect((await bench.get(started.id)).status).toBe('incomplete');
  await bench.advance(120);
  expect((await bench.get(started.id)).status).toBe('incomplete_expired');
  expect((await bench.invoicesOf(started.id))[0]!.status).toBe('void');
  const late = await bench.confirm(secretOf(started), CARDS.good);
  expect(late.error.code).toBe('payment_intent_unexpected_state');
});

test('renews each month with an invoice that is a draft for an hour', async () => {
  const bench = await openBench();
  const { id, items } = await bench.paid();
  await bench.advance(items.data[0]!.current_period_end - Math.floor(Date.now() / 1000) + 60);
  expect((await bench.invoicesOf(id)).map(({ status }) => status)).toEqual(['draft', 'paid']);
  await bench.advance(HOUR);
  const [renewal] = await bench.invoicesOf(id);
  expect(renewal).toMatchObject({ status: 'paid', billing_reason: 'subscription_cycle', amount_paid: 4900 });
  await bench.advance(62 * DAY);
  expect(await bench.invoicesOf(id)).toHaveLength(4);
});

test('a failed renewal makes the subscription past due; paying the invoice reactivates it', async () => {
  const bench = await openBench();
  const { id, customer, items } = await bench.paid(CARDS.good);
  const failing = await bench.stripe.paymentMethods.attach(
    'pm_card_chargeCustomerFail',
    { customer: customer as string },
    bench.on,
  );
  await bench.stripe.subscriptions.update(id, { default_payment_method: failing.id }, bench.on);
  await bench.advance(items.data[0]!.current_period_end - Math.floor(Date.now() / 1000) + 2 * HOUR);
  expect((await bench.get(id)).status).toBe('past_due');
  const [invoice] = await bench.invoicesOf(id);
  expect(invoice).toMatchObject({ status: 'open', attempt_count: 1, next_payment_attempt: expect.any(Number) });
  const { confirmation_secret } = await bench.stripe.invoices.retrieve(
    invoice!.id!,
    { expand: ['confirmation_secret'] },
    bench.on,
  );
  await bench.confirm(confirmation_secret!.client_secret, CARDS.good);
  expect((await bench.get(id)).status).toBe('active');
});

test.each(['canceled', 'unpaid', 'past_due'] as const)(
  'after the last failed retry the subscription is %s, as configured',
  async (policy) => {
    const bench = await openBench({ afterRetries: policy });
    const { id } = await bench.paid(CARDS.failsLater, { trial_period_days: 1 });
    await bench.advance(20 * DAY);
    expect((await bench.get(id)).status).toBe(policy);
  },
);

test('a renewal that requires authentication can be authenticated', async () => {
  const bench = await openBench();
  const { id } = await bench.paid(CARDS.authenticates);
  await bench.advance(31 * DAY + 2 * HOUR);
  expect((await bench.get(id)).status).toBe('past_due');
  const [invoice] = await bench.invoicesOf(id);
  const full = await bench.stripe.invoices.retrieve(
    invoice!.id!,
    { expand: ['payments.data.payment.payment_intent'] },
    bench.on,
  );
  const intent = full.payments!.data[0]!.payment.payment_intent as Stripe.PaymentIntent;
  expect(intent.status).toBe('requires_action');
  await bench.control('trigger', { name: 'complete_authentication', account: bench.account, intent: intent.id });
  expect((await bench.get(id)).status).toBe('active');
});

test('a cancellation at the period end can be undone until then', async () => {
  const bench = await openBench();
  const { id, items } = await bench.paid();
  const end = items.data[0]!.current_period_end;
  const flagged = await bench.stripe.subscriptions.update(id, { cancel_at_period_end: true }, bench.on);
  expect(flagged).toMatchObject({ status: 'active', cancel_at: end, cancel_at_period_end: true });
  const resumed = await bench.stripe.subscriptions.update(id, { cancel_at_period_end: false }, bench.on);
  expect(resumed).toMatchObject({ cancel_at: null, canceled_at: null });
  await bench.stripe.subscriptions.update(id, { cancel_at_period_end: true }, bench.on);
  await bench.advance(32 * DAY);
  const ended = await bench.get(id);
  expect([ended.status, ended.ended_at]).toEqual(['canceled', end]);
  expect(await bench.invoicesOf(id)).toHaveLength(1);
});

test('cancel_at after a trial ends the subscription after the first paid period', async () => {
  const bench = await openBench();
  const cancelAt = Math.floor(Date.now() / 1000) + 37 * DAY;
  const { id } = await bench.paid(CARDS.good, { trial_period_days: 7, cancel_at: cancelAt });
  await bench.advance(8 * DAY);
  expect((await bench.get(id)).status).toBe('active');
  await bench.advance(30 * DAY);
  expect((await bench.get(id)).status).toBe('canceled');
  expect((await bench.invoicesOf(id)).map(({ amount_paid }) => amount_paid)).toContain(4900);
});

test('canceling ends the subscription immediately and once, and default lists omit it', async () => {
  const bench = await openBench();
  const { id } = await bench.paid();
  expect((await bench.stripe.subscriptions.cancel(id, { invoice_now: false, prorate: false }, bench.on)).status).toBe(
    'canceled',
  );
  await expect(bench.stripe.subscriptions.cancel(id, {}, bench.on)).rejects.toMatchObject({
    code: 'resource_missing',
    statusCode: 404,
  });
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('customer.subscription.deleted');
  const ids = async (status?: 'all' | 'ended' | 'active') =>
    (await bench.stripe.subscriptions.list(status ? { status } : {}, bench.on)).data.map(
      (subscription) => subscription.id,
    );
  expect([await ids(), await ids('all'), await ids('ended'), await ids('active')]).toEqual([[], [id], [id], []]);
});

test.each(['incomplete_expired', 'canceled'] as const)(
  'canceling an incomplete subscription makes it %s and voids its invoice',
  async (status) => {
    const bench = await openBench({ canceledIncomplete: status });
    const { id } = await bench.subscribe();
    expect((await bench.stripe.subscriptions.cancel(id, {}, bench.on)).status).toBe(status);
    expect((await bench.invoicesOf(id))[0]!.status).toBe('void');
  },
);

test('a price change is prorated on the next invoice', async () => {
  const bench = await openBench();
  const { id, items } = await bench.paid();
  const expensive = await bench.price({ unit_amount: 9900 });
  const changed = await bench.stripe.subscriptions.update(
    id,
    { items: [{ id: items.data[0]!.id, price: expensive.id }] },
    bench.on,
  );
  expect(changed.items.data[0]!.price.id).toBe(expensive.id);
  await bench.advance(32 * DAY);
  const [renewal] = await bench.invoicesOf(id);
  expect(renewal!.lines.data.map(({ amount }) => amount)).toEqual([-4900, 9900, 9900]);
});

test('an interval change starts a new period and is charged immediately', async () => {
  const bench = await openBench();
  const { id, items } = await bench.paid();
  const yearly = await bench.price({ unit_amount: 49_000, recurring: { interval: 'year' } });
  await bench.stripe.subscriptions.update(id, { items: [{ id: items.data[0]!.id, price: yearly.id }] }, bench.on);
  const [invoice] = await bench.invoicesOf(id);
  expect(invoice).toMatchObject({ status: 'paid', billing_reason: 'subscription_update', amount_paid: 49_000 - 4900 });
});

test('rejects inactive prices, one-time prices and prices in different currencies', async () => {
  const bench = await openBench();
  const usd = await bench.price();
  const eur = await bench.price({ currency: 'eur' });
  const once = await bench.price({ recurring: undefined });
  const inactive = await bench.price({ active: false });
  for (const items of [[{ price: usd.id }, { price: eur.id }], [{ price: once.id }], [{ price: inactive.id }]]) {
    await expect(bench.subscribe({ items })).rejects.toMatchObject({
      statusCode: 400,
      type: 'StripeInvalidRequestError',
    });
  }
});

test('error_if_incomplete creates nothing when the card fails', async () => {
  const bench = await openBench();
  const { id } = await bench.stripe.customers.create({ payment_method: 'pm_card_chargeCustomerFail' }, bench.on);
  const [method] = (await bench.stripe.customers.listPaymentMethods(id, {}, bench.on)).data;
  const failing = bench.subscribe({
    customer: id,
    payment_behavior: 'error_if_incomplete',
    default_payment_method: method!.id,
  });
  await expect(failing).rejects.toMatchObject({ statusCode: 402, type: 'StripeCardError' });
  expect((await bench.stripe.subscriptions.list({ status: 'all' }, bench.on)).data).toEqual([]);
});
