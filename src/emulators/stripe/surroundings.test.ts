import Stripe from 'stripe';
import { expect, onTestFinished, test } from 'vitest';
import { CARDS, DAY, EVENT_TIMEOUT, HOUR, listen, openBench, secretOf, urlOf } from './test-bench.ts';

test('an account can charge after onboarding through its link, which works once', async () => {
  const bench = await openBench();
  const account = await bench.stripe.accounts.create({
    controller: { stripe_dashboard: { type: 'full' } },
    capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
  });
  expect([account.charges_enabled, account.details_submitted, account.type]).toEqual([false, false, 'standard']);
  const link = await bench.stripe.accountLinks.create({
    account: account.id,
    type: 'account_onboarding',
    refresh_url: 'https://clinic.example.test/refresh',
    return_url: 'https://clinic.example.test/return',
  });
  const submitForm = () =>
    fetch(link.url, { method: 'POST', body: new URLSearchParams({ answer: 'complete' }), redirect: 'manual' });
  expect(await (await fetch(link.url)).text()).toContain('Complete onboarding');
  expect((await submitForm()).headers.get('location')).toBe('https://clinic.example.test/return');
  expect((await submitForm()).headers.get('location')).toBe('https://clinic.example.test/refresh');
  const ready = await bench.stripe.accounts.retrieve(account.id);
  expect(ready).toMatchObject({
    charges_enabled: true,
    details_submitted: true,
    capabilities: { card_payments: 'active' },
  });
  await expect
    .poll(() => bench.events.find(({ type }) => type === 'account.updated')?.account, EVENT_TIMEOUT)
    .toBe(account.id);
});

test('an onboarding link expires after five minutes, and a trigger completes onboarding without it', async () => {
  const bench = await openBench();
  const link = await bench.stripe.accountLinks.create({
    account: bench.account,
    type: 'account_onboarding',
    refresh_url: 'https://clinic.example.test/refresh',
    return_url: 'https://clinic.example.test/return',
  });
  await bench.advance(301);
  expect((await fetch(link.url, { redirect: 'manual' })).headers.get('location')).toBe(
    'https://clinic.example.test/refresh',
  );
  await bench.control('trigger', { name: 'complete_onboarding', account: bench.account });
  expect((await bench.stripe.accounts.retrieve(bench.account)).charges_enabled).toBe(true);
});

test('an account can be restricted and its access revoked', async () => {
  const bench = await openBench();
  await bench.control('trigger', { name: 'complete_onboarding', account: bench.account });
  await bench.control('trigger', { name: 'restrict', account: bench.account });
  const restricted = await bench.stripe.accounts.retrieve(bench.account);
  expect(restricted).toMatchObject({ charges_enabled: false, details_submitted: true });
  expect(restricted.requirements?.disabled_reason).toBe('requirements.past_due');
  await bench.control('trigger', { name: 'deauthorize', account: bench.account });
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('account.application.deauthorized');
  await expect(bench.stripe.customers.list({}, bench.on)).rejects.toMatchObject({
    code: 'account_invalid',
    statusCode: 403,
  });
  await expect(bench.stripe.accounts.retrieve(bench.account)).rejects.toMatchObject({ statusCode: 403 });
});

test('an endpoint created through the API receives its enabled events, signed with its own secret', async () => {
  const bench = await openBench({ webhookEndpoints: [] });
  const received: [string, string | undefined][] = [];
  let secret = '';
  const receiver = await listen(async (body, signature) => {
    const { account, type } = Stripe.webhooks.constructEvent(body, signature, secret);
    received.push([type, account]);
  });
  onTestFinished(() => void receiver.close());
  const endpoint = await bench.stripe.webhookEndpoints.create({
    url: urlOf(receiver),
    connect: true,
    enabled_events: ['customer.created'],
  });
  secret = endpoint.secret!;
  await bench.stripe.customers.create({});
  await bench.stripe.customers.create({}, bench.on);
  await bench.stripe.products.create({ name: 'Unheard' }, bench.on);
  await expect.poll(() => received, EVENT_TIMEOUT).toEqual([['customer.created', bench.account]]);
  expect((await bench.stripe.webhookEndpoints.list()).data[0]).not.toHaveProperty('secret');
  await bench.stripe.webhookEndpoints.del(endpoint.id);
  expect((await bench.stripe.webhookEndpoints.list()).data).toEqual([]);
});

test('lists events, and resends them in another order and number on request', async () => {
  const bench = await openBench();
  await bench.paid();
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('customer.subscription.updated');
  const { data } = await bench.stripe.events.list({ types: ['customer.*'], limit: 100 }, bench.on);
  expect(data.map(({ type }) => type)).toEqual([
    'customer.subscription.updated',
    'customer.subscription.created',
    'customer.created',
  ]);
  const ids = data.map(({ id }) => id);
  // Other events of the payment may still be in flight.
  const arrived = () => bench.events.filter(({ id }) => ids.includes(id)).length;
  await expect.poll(arrived, EVENT_TIMEOUT).toBe(ids.length);
  const response = await bench.control('trigger', {
    name: 'resend_events',
    account: bench.account,
    events: ids,
    order: 'reverse',
    copies: 2,
  });
  expect(response.sent).toEqual([...ids, ...ids].toReversed());
  await expect.poll(arrived, EVENT_TIMEOUT).toBe(3 * ids.length);
  expect((await bench.control('trigger', { name: 'resend_events', events: ['evt_none'] })).error).toContain('evt_none');
});

test('a test clock affects only its own customers', async () => {
  const bench = await openBench();
  const frozen_time = Math.floor(Date.now() / 1000);
  const clock = await bench.stripe.testHelpers.testClocks.create({ frozen_time }, bench.on);
  const { id: customer } = await bench.stripe.customers.create({ test_clock: clock.id }, bench.on);
  const moved = await bench.paid(CARDS.good, { customer });
  const still = await bench.subscribe();
  const response = await bench.stripe.testHelpers.testClocks.advance(
    clock.id,
    { frozen_time: frozen_time + 32 * DAY },
    bench.on,
  );
  expect(response.status).toBe('advancing');
  expect((await bench.stripe.testHelpers.testClocks.retrieve(clock.id, {}, bench.on)).status).toBe('ready');
  expect(await bench.invoicesOf(moved.id)).toHaveLength(2);
  expect((await bench.get(still.id)).status).toBe('incomplete');
  const tooFar = bench.stripe.testHelpers.testClocks.advance(
    clock.id,
    { frozen_time: frozen_time + 400 * DAY },
    bench.on,
  );
  await expect(tooFar).rejects.toMatchObject({ statusCode: 400 });
  await bench.stripe.testHelpers.testClocks.del(clock.id, {}, bench.on);
  expect((await bench.get(moved.id)).status).toBe('canceled');
});

test('hosted checkout takes the payment, completes the session and redirects to success_url', async () => {
  const bench = await openBench();
  const { id: customer } = await bench.stripe.customers.create({ email: 'ada@example.test' }, bench.on);
  const session = await bench.stripe.checkout.sessions.create(
    {
      mode: 'subscription',
      customer,
      line_items: [{ price: (await bench.price()).id, quantity: 1 }],
      success_url: 'https://clinic.example.test/done?session={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://clinic.example.test/back',
      subscription_data: { metadata: { patient_id: 'p1' } },
      allow_promotion_codes: true,
    },
    bench.on,
  );
  const submit = (number: string, code = '') =>
    fetch(session.url!, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ number, expiry: '12 / 68', cvc: '123', code }),
    });
  expect(await (await submit(CARDS.declined)).text()).toContain('Your card was declined.');
  expect(await (await submit(CARDS.good, 'NOPE')).text()).toContain('This code is invalid.');
  const bank = (await submit(CARDS.authenticates)).headers.get('location')!;
  const back = await fetch(bank, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ outcome: 'succeeded' }),
  });
  const done = await fetch(back.headers.get('location')!, { redirect: 'manual' });
  expect(done.headers.get('location')).toBe(`https://clinic.example.test/done?session=${session.id}`);
  const complete = await bench.stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription'] }, bench.on);
  expect(complete).toMatchObject({ status: 'complete', payment_status: 'paid', url: null });
  expect(complete.subscription).toMatchObject({ status: 'active', metadata: { patient_id: 'p1' } });
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('checkout.session.completed');
});

test('an unused checkout session expires after a day', async () => {
  const bench = await openBench();
  const line_items = [{ price: (await bench.price()).id }];
  const session = await bench.stripe.checkout.sessions.create(
    { mode: 'subscription', line_items, success_url: 'https://clinic.example.test' },
    bench.on,
  );
  await bench.advance(24 * HOUR + 1);
  expect((await bench.stripe.checkout.sessions.retrieve(session.id, {}, bench.on)).status).toBe('expired');
});

test('paid invoices and charges link to pages', async () => {
  const bench = await openBench();
  const { id } = await bench.paid();
  const [invoice] = await bench.invoicesOf(id);
  expect(await (await fetch(invoice!.hosted_invoice_url!)).text()).toContain('$49.00');
  const pdf = await fetch(invoice!.invoice_pdf!);
  expect(pdf.headers.get('content-type')).toBe('application/pdf');
  const document = await pdf.text();
  expect(document).toMatch(/^%PDF-1\.4\n[\s\S]*%%EOF\n$/);
  expect(document.slice(Number(/startxref\n(\d+)/.exec(document)![1])).startsWith('xref')).toBe(true);
  expect(document).toContain('Amount paid: $49.00');
  const [charge] = (await bench.stripe.charges.list({}, bench.on)).data;
  expect(await (await fetch(charge!.receipt_url!)).text()).toContain('ending in 4242');
});

test('cards can be attached, listed, set up and detached', async () => {
  const bench = await openBench();
  const { id: customer } = await bench.stripe.customers.create({}, bench.on);
  const setup = await bench.stripe.setupIntents.create(
    { customer, automatic_payment_methods: { enabled: true } },
    bench.on,
  );
  const challenged = await bench.confirm(setup.client_secret!, CARDS.authenticatesOnSetup);
  expect((await bench.authenticate(challenged, 'succeeded')).status).toBe('succeeded');
  const [method] = (await bench.stripe.paymentMethods.list({ customer, type: 'card' }, bench.on)).data;
  expect(method!.card!.last4).toBe('3155');
  const offSession = {
    amount: 500,
    currency: 'usd',
    customer,
    payment_method: method!.id,
    off_session: true,
    confirm: true,
  };
  expect((await bench.stripe.paymentIntents.create(offSession, bench.on)).status).toBe('succeeded');
  const declining = bench.stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer }, bench.on);
  await expect(declining).rejects.toBeInstanceOf(Stripe.errors.StripeCardError);
  await bench.stripe.paymentMethods.detach(method!.id, {}, bench.on);
  expect((await bench.stripe.paymentMethods.list({ customer }, bench.on)).data).toEqual([]);
});

test('validates card numbers, and rejects them with a secret key', async () => {
  const bench = await openBench();
  const { client_secret } = await bench.stripe.paymentIntents.create({ amount: 100, currency: 'usd' }, bench.on);
  expect((await bench.confirm(client_secret!, '4242424242424241')).error.code).toBe('incorrect_number');
  expect((await bench.confirm(client_secret!, '4012888888881881')).error.decline_code).toBe('test_mode_live_card');
  const card = { number: CARDS.good, exp_month: 12, exp_year: 2068 };
  await expect(bench.stripe.paymentMethods.create({ type: 'card', card }, bench.on)).rejects.toMatchObject({
    statusCode: 402,
  });
});

test('deleting a customer cancels its subscriptions and prevents new ones', async () => {
  const bench = await openBench();
  const { id, customer } = await bench.paid();
  expect(await bench.stripe.customers.del(customer as string, {}, bench.on)).toMatchObject({ deleted: true });
  expect((await bench.get(id)).status).toBe('canceled');
  await expect(bench.subscribe({ customer: customer as string })).rejects.toMatchObject({
    code: 'resource_missing',
    statusCode: 400,
  });
});

test('a paused subscription is not billed until it is resumed', async () => {
  const bench = await openBench();
  const { id } = await bench.paid();
  expect((await bench.stripe.subscriptions.pause(id, {}, bench.on)).status).toBe('paused');
  await bench.advance(60 * DAY);
  expect(await bench.invoicesOf(id)).toHaveLength(1);
  expect((await bench.stripe.subscriptions.resume(id, {}, bench.on)).status).toBe('active');
  expect(await bench.invoicesOf(id)).toHaveLength(2);
  expect(secretOf(await bench.subscribe())).toMatch(/^pi_/);
});
