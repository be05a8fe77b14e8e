import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { type Bench, CARDS, DAY, EVENT_TIMEOUT, openBench } from './test-bench.ts';

const success_url = 'https://clinic.example.test/done?session={CHECKOUT_SESSION_ID}';
const create = (bench: Bench, params: Partial<Stripe.Checkout.SessionCreateParams>) =>
  bench.stripe.checkout.sessions.create({ success_url, ...params } as Stripe.Checkout.SessionCreateParams, bench.on);
const read = (bench: Bench, id: string, expand: string[] = []) =>
  bench.stripe.checkout.sessions.retrieve(id, { expand }, bench.on);
const submit = ({ url }: Stripe.Checkout.Session, typed: Record<string, string> = {}) =>
  fetch(url!, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ number: CARDS.good, expiry: '12 / 68', cvc: '123', ...typed }),
  });

/** Submits the 3-D Secure page and follows its redirect back to the session. */
const authenticate = async (submitted: Response, outcome: 'succeeded' | 'failed') => {
  const body = new URLSearchParams({ outcome });
  const back = await fetch(submitted.headers.get('location')!, { method: 'POST', redirect: 'manual', body });
  return fetch(back.headers.get('location')!, { redirect: 'manual' });
};

test('a new buyer becomes a customer only by paying', async () => {
  const bench = await openBench();
  const price = await bench.price();
  const session = await create(bench, {
    mode: 'subscription',
    line_items: [{ price: price.id, quantity: 2 }],
    client_reference_id: 'patient-1',
    subscription_data: { trial_period_days: 7, trial_settings: { end_behavior: { missing_payment_method: 'pause' } } },
  });
  expect(session).toMatchObject({ customer: null, amount_total: 0, payment_status: 'unpaid', status: 'open' });
  expect(await (await fetch(session.url!)).text()).toContain('Free for 7 days');
  expect(await (await submit(session, { number: CARDS.declined, email: 'ada@example.test' })).text()).toContain(
    'Your card was declined.',
  );
  expect((await bench.stripe.customers.list({}, bench.on)).data).toEqual([]);
  expect((await bench.stripe.subscriptions.list({ status: 'all' }, bench.on)).data).toEqual([]);
  const done = await submit(session, { email: 'ada@example.test' });
  expect(done.headers.get('location')).toBe(success_url.replace('{CHECKOUT_SESSION_ID}', session.id));
  const complete = await read(bench, session.id, ['subscription', 'customer', 'line_items']);
  expect(complete).toMatchObject({
    client_reference_id: 'patient-1',
    customer: { email: 'ada@example.test' },
    customer_details: { email: 'ada@example.test' },
    payment_status: 'no_payment_required',
    status: 'complete',
    subscription: { status: 'trialing', trial_settings: { end_behavior: { missing_payment_method: 'pause' } } },
    url: null,
  });
  expect(complete.line_items!.data).toMatchObject([{ object: 'item', amount_total: 9800, quantity: 2 }]);
  const { data } = await bench.stripe.checkout.sessions.listLineItems(session.id, {}, bench.on);
  expect(data[0]!.price!.id).toBe(price.id);
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('checkout.session.completed');
});

test('an entered promotion code appears on the subscription and in the totals', async () => {
  const bench = await openBench();
  const coupon = await bench.stripe.coupons.create({ percent_off: 50, duration: 'once' }, bench.on);
  const code = await bench.stripe.promotionCodes.create(
    { code: 'HALF', promotion: { type: 'coupon', coupon: coupon.id } },
    bench.on,
  );
  const session = await create(bench, {
    mode: 'subscription',
    line_items: [{ price: (await bench.price()).id }, { price: (await bench.price({ unit_amount: 1001 })).id }],
    allow_promotion_codes: true,
    customer_email: 'ada@example.test',
  });
  expect(session).toMatchObject({ amount_total: 5901, total_details: { amount_discount: 0 } });
  await submit(session, { code: 'half' });
  const halves = [
    { amount_discount: 2450, amount_subtotal: 4900, amount_total: 2450 },
    { amount_discount: 501, amount_subtotal: 1001, amount_total: 500 },
  ];
  expect(await read(bench, session.id, ['line_items'])).toMatchObject({
    amount_subtotal: 5901,
    amount_total: 2950,
    discounts: [{ coupon: null, promotion_code: code.id }],
    line_items: { data: halves },
    payment_status: 'paid',
    total_details: { amount_discount: 2951 },
  });
  const line_items = [{ price: (await bench.price()).id, quantity: 2 }];
  const open = await create(bench, { mode: 'subscription', line_items, discounts: [{ coupon: coupon.id }] });
  const { data } = await bench.stripe.checkout.sessions.listLineItems(open.id, {}, bench.on);
  expect(data).toMatchObject([{ amount_discount: 4900, amount_total: 4900 }]);
});

test('an invalid code, a failed 3-D Secure and a later decline create nothing and redeem nothing', async () => {
  const bench = await openBench();
  const promotion = { type: 'coupon', coupon: (await bench.stripe.coupons.create({ percent_off: 50 }, bench.on)).id };
  const single = { code: 'SINGLE', max_redemptions: 1, promotion } as Stripe.PromotionCodeCreateParams;
  const { id } = await bench.stripe.promotionCodes.create(single, bench.on);
  const inAMinute = Math.floor(Date.now() / 1000) + 60;
  await bench.stripe.promotionCodes.create({ ...single, code: 'SOON', expires_at: inAMinute }, bench.on);
  const line_items = [{ price: (await bench.price()).id }];
  const session = await create(bench, { mode: 'subscription', line_items, allow_promotion_codes: true });
  await bench.advance(120);
  const created = async () => ({
    customers: (await bench.stripe.customers.list({}, bench.on)).data.length,
    events: (await bench.stripe.events.list({ limit: 100 }, bench.on)).data.length,
    redemptions: (await bench.stripe.promotionCodes.retrieve(id, {}, bench.on)).times_redeemed,
    subscriptions: (await bench.stripe.subscriptions.list({ status: 'all' }, bench.on)).data.length,
  });
  const typed = { email: 'ada@example.test', number: CARDS.authenticates, code: 'single' };
  await bench.control('trigger', { name: 'restrict', account: bench.account });
  expect(await (await submit(session, typed)).text()).toContain('cannot currently make charges');
  await bench.control('trigger', { name: 'complete_onboarding', account: bench.account });
  const before = await created();
  expect(await (await submit(session, { ...typed, code: 'soon' })).text()).toContain('it is not active');
  expect(await (await authenticate(await submit(session, typed), 'failed')).text()).toContain('unable to authenticate');
  const number = CARDS.authenticatesThenInsufficient;
  const declined = await authenticate(await submit(session, { ...typed, number }), 'succeeded');
  expect(await declined.text()).toContain('insufficient funds');
  // The challenge is open: nothing is paid yet.
  const challenged = await submit(session, typed);
  expect(await created()).toEqual(before);
  expect((await authenticate(challenged, 'succeeded')).headers.get('location')).toContain(session.id);
  expect(await read(bench, session.id, ['subscription'])).toMatchObject({
    amount_total: 2450,
    payment_status: 'paid',
    subscription: { status: 'active' },
  });
  expect(await created()).toMatchObject({ customers: 1, redemptions: 1, subscriptions: 1 });
  const [charge] = (await bench.stripe.charges.list({}, bench.on)).data;
  expect(charge!.payment_method_details!.card!.three_d_secure!.result).toBe('authenticated');
});

test('setup mode saves a card without a purchase', async () => {
  const bench = await openBench();
  const { id: customer } = await bench.stripe.customers.create({ email: 'ada@example.test' }, bench.on);
  const session = await create(bench, { mode: 'setup', currency: 'usd', customer });
  expect(session).toMatchObject({ amount_total: null, mode: 'setup', payment_status: 'no_payment_required' });
  expect(await (await fetch(session.url!)).text()).toContain('Save a card');
  expect(await (await submit(session, { number: CARDS.declined })).text()).toContain('declined');
  const done = await authenticate(await submit(session, { number: CARDS.authenticatesOnSetup }), 'succeeded');
  expect(done.headers.get('location')).toContain(session.id);
  const complete = await read(bench, session.id, ['setup_intent']);
  expect(complete).toMatchObject({ status: 'complete', setup_intent: { status: 'succeeded', customer } });
  const { data } = await bench.stripe.paymentMethods.list({ customer }, bench.on);
  expect(data).toHaveLength(1);

  const unknown = await create(bench, { mode: 'setup', currency: 'usd' });
  const typed = { email: 'bob@example.test', number: CARDS.authenticatesOnSetup };
  expect(await (await authenticate(await submit(unknown, typed), 'failed')).text()).toContain('unable to authenticate');
  expect((await bench.stripe.customers.list({}, bench.on)).data).toHaveLength(1);
  await authenticate(await submit(unknown, typed), 'succeeded');
  const saved = await read(bench, unknown.id, ['customer', 'setup_intent']);
  const savedCustomer = saved.customer as Stripe.Customer;
  expect(saved).toMatchObject({ customer: { email: typed.email }, setup_intent: { customer: savedCustomer.id } });
  expect((await bench.stripe.paymentMethods.list({ customer: savedCustomer.id }, bench.on)).data).toHaveLength(1);
});

test('if_required collects no card when nothing is due', async () => {
  const bench = await openBench();
  const session = await create(bench, {
    mode: 'subscription',
    line_items: [{ price: (await bench.price()).id }],
    customer_email: 'ada@example.test',
    payment_method_collection: 'if_required',
    subscription_data: { trial_period_days: 7 },
  });
  expect(await (await fetch(session.url!)).text()).not.toContain('Card number');
  await submit(session, { number: '' });
  expect(await read(bench, session.id, ['subscription'])).toMatchObject({
    status: 'complete',
    subscription: { status: 'trialing', default_payment_method: null },
  });
});

test('rejects payment mode', async () => {
  const bench = await openBench();
  const price = await bench.price();
  await expect(
    create(bench, { mode: 'payment', line_items: [{ price: price.id, quantity: 1 }] }),
  ).rejects.toMatchObject({
    ...{ statusCode: 400, param: 'mode', message: expect.stringContaining('`payment` mode are not enabled') },
  });
});

test('rejects inconsistent parameters, and an unused session expires', async () => {
  const bench = await openBench();
  const line_items = [{ price: (await bench.price()).id }];
  const once = await bench.price({ recurring: undefined });
  const invalid: Partial<Stripe.Checkout.SessionCreateParams>[] = [
    { mode: 'setup', currency: 'usd', line_items },
    { mode: 'setup' },
    { mode: 'subscription' },
    { mode: 'payment', line_items },
    { mode: 'subscription', line_items, discounts: [{ coupon: 'none' }] },
    { mode: 'subscription', line_items, discounts: [], allow_promotion_codes: true, customer: 'cus_none' },
    { mode: 'subscription', line_items: [{ price: once.id }] },
    { mode: 'subscription', line_items, subscription_data: { trial_period_days: 731 } },
    { mode: 'subscription', line_items, expires_at: Math.floor(Date.now() / 1000) + 60 },
    { mode: 'subscription', line_items, success_url: 'clinic' },
  ];
  for (const params of invalid) await expect(create(bench, params)).rejects.toMatchObject({ statusCode: 400 });
  expect((await bench.stripe.checkout.sessions.list({}, bench.on)).data).toEqual([]);
  const unused = await create(bench, { mode: 'setup', currency: 'usd' });
  await bench.advance(DAY + 60);
  expect(await read(bench, unused.id)).toMatchObject({ status: 'expired', url: null });
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('checkout.session.expired');
  const ended = await create(bench, { mode: 'subscription', line_items });
  await bench.stripe.checkout.sessions.expire(ended.id, {}, bench.on);
  expect((await submit(unused)).status).toBe(404);
});
