import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { type Bench, CARDS, EVENT_TIMEOUT, HOUR, openBench } from './test-bench.ts';

const attach = (bench: Bench, method: string, customer: string) =>
  bench.stripe.paymentMethods.attach(method, { customer }, bench.on);

test('a detached card is no longer a default and cannot be attached again', async () => {
  const bench = await openBench();
  const paid = await bench.paid();
  const customer = paid.customer as string;
  const method = paid.default_payment_method as string;
  await bench.stripe.customers.update(customer, { invoice_settings: { default_payment_method: method } }, bench.on);
  await bench.stripe.paymentMethods.detach(method, {}, bench.on);
  const { invoice_settings } = (await bench.stripe.customers.retrieve(customer, {}, bench.on)) as Stripe.Customer;
  expect(invoice_settings.default_payment_method).toBeNull();
  expect((await bench.get(paid.id)).default_payment_method).toBeNull();
  await expect(attach(bench, method, customer)).rejects.toMatchObject({
    message: expect.stringContaining('may not be used again'),
  });
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('payment_method.detached');
  await expect(bench.stripe.paymentMethods.detach(method, {}, bench.on)).rejects.toMatchObject({ statusCode: 400 });
});

test('the customer’s default pays for a subscription without its own method', async () => {
  const bench = await openBench();
  const { id: customer } = await bench.stripe.customers.create({}, bench.on);
  const good = await attach(bench, 'pm_card_visa', customer);
  const other = await attach(bench, 'pm_card_mastercard', customer);
  const { data } = await bench.stripe.customers.listPaymentMethods(customer, {}, bench.on);
  expect(data.map(({ id }) => id)).toEqual([other.id, good.id]);
  await bench.stripe.customers.update(customer, { invoice_settings: { default_payment_method: good.id } }, bench.on);
  const { status } = await bench.subscribe({ customer, payment_behavior: 'allow_incomplete' });
  expect(status).toBe('active');
  const otherCustomer = await bench.stripe.customers.create({}, bench.on);
  await expect(
    bench.stripe.customers.retrievePaymentMethod(otherCustomer.id, good.id, {}, bench.on),
  ).rejects.toMatchObject({
    statusCode: 404,
  });
  const updated = await bench.stripe.paymentMethods.update(
    good.id,
    { card: { exp_month: 1, exp_year: 2070 } },
    bench.on,
  );
  expect([updated.card!.exp_month, updated.card!.exp_year]).toEqual([1, 2070]);
});

test('a card that is set up before a trial needs no further setup', async () => {
  const bench = await openBench();
  const { id: customer } = await bench.stripe.customers.create({}, bench.on);
  const setup = await bench.stripe.setupIntents.create({ customer, usage: 'off_session' }, bench.on);
  await bench.confirm(setup.client_secret!, CARDS.good);
  const done = await bench.stripe.setupIntents.retrieve(setup.id, { expand: ['payment_method'] }, bench.on);
  expect(done).toMatchObject({ status: 'succeeded', payment_method: { customer } });
  const { data } = await bench.stripe.setupIntents.list({ customer }, bench.on);
  expect(data.map(({ id }) => id)).toEqual([setup.id]);
  const trial = await bench.subscribe({
    customer,
    default_payment_method: (done.payment_method as Stripe.PaymentMethod).id,
    trial_period_days: 7,
  });
  expect([trial.status, trial.pending_setup_intent]).toEqual(['trialing', null]);
});

test('an invoice is paid once, by a working card', async () => {
  const bench = await openBench();
  const started = await bench.subscribe();
  const invoice = (started.latest_invoice as Stripe.Invoice).id!;
  const pay = (payment_method?: string) =>
    bench.stripe.invoices.pay(invoice, payment_method ? { payment_method } : {}, bench.on);
  await expect(pay()).rejects.toMatchObject({ statusCode: 400 });
  const customer = started.customer as string;
  const failing = await attach(bench, 'pm_card_chargeCustomerFail', customer);
  await expect(pay(failing.id)).rejects.toMatchObject({ statusCode: 402, code: 'card_declined' });
  const good = await attach(bench, 'pm_card_visa', customer);
  expect((await pay(good.id)).status).toBe('paid');
  expect((await bench.get(started.id)).status).toBe('active');
  await expect(pay(good.id)).rejects.toMatchObject({ code: 'invoice_already_paid' });
});

test('a deleted customer returns only its id, and its subscription is canceled', async () => {
  const bench = await openBench();
  const paid = await bench.paid();
  const customer = paid.customer as string;
  await bench.stripe.customers.del(customer, {}, bench.on);
  const deleted = { id: customer, object: 'customer', deleted: true };
  expect(await bench.stripe.customers.retrieve(customer, {}, bench.on)).toEqual(expect.objectContaining(deleted));
  const ended = await bench.stripe.subscriptions.retrieve(paid.id, { expand: ['customer'] }, bench.on);
  expect([ended.status, ended.customer]).toEqual(['canceled', deleted]);
  const missing = { code: 'resource_missing' };
  await expect(bench.stripe.customers.del(customer, {}, bench.on)).rejects.toMatchObject(missing);
  await expect(bench.stripe.customers.update(customer, { name: 'Ada' }, bench.on)).rejects.toMatchObject(missing);
  await expect(bench.stripe.setupIntents.create({ customer }, bench.on)).rejects.toMatchObject(missing);
  await expect(bench.stripe.paymentMethods.list({ customer }, bench.on)).rejects.toMatchObject(missing);
  expect((await bench.stripe.customers.list({}, bench.on)).data).toEqual([]);
  await bench.advance(40 * 24 * HOUR);
  expect(await bench.invoicesOf(paid.id)).toHaveLength(1);
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('customer.deleted');
});

test('an archived price cannot be sold and continues for existing subscriptions', async () => {
  const bench = await openBench();
  const price = await bench.price();
  const paid = await bench.paid(CARDS.good, { price: price.id });
  await bench.stripe.prices.update(price.id, { active: false }, bench.on);
  await bench.stripe.products.update(price.product as string, { active: false }, bench.on);
  await expect
    .poll(() => bench.events.find(({ type }) => type === 'price.updated')?.data, EVENT_TIMEOUT)
    .toMatchObject({ object: { active: false }, previous_attributes: { active: true } });
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('product.updated');
  await expect(bench.subscribe({ price: price.id })).rejects.toMatchObject({ statusCode: 400 });
  await bench.advance(32 * 24 * HOUR);
  expect((await bench.invoicesOf(paid.id))[0]!.status).toBe('paid');
  await expect(bench.stripe.products.del(price.product as string, {}, bench.on)).rejects.toMatchObject({
    statusCode: 400,
  });
  const empty = await bench.stripe.products.create({ name: 'Empty', tax_details: { tax_code: 'txcd_1' } }, bench.on);
  expect(empty.tax_details).toEqual({ performance_location: null, tax_code: 'txcd_1' });
  expect((await bench.stripe.products.del(empty.id, {}, bench.on)).deleted).toBe(true);
});

test('onboarding activates each capability and sends one event for each', async () => {
  const bench = await openBench();
  const account = await bench.stripe.accounts.create({
    capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
  });
  const statuses = async () =>
    (await bench.stripe.accounts.listCapabilities(account.id)).data.map(({ status }) => status);
  expect(await statuses()).toEqual(['inactive', 'inactive']);
  await bench.control('trigger', { name: 'complete_onboarding', account: account.id });
  expect(await statuses()).toEqual(['active', 'active']);
  const capabilityUpdates = () => bench.events.filter(({ type }) => type === 'capability.updated');
  await expect.poll(() => capabilityUpdates().length, EVENT_TIMEOUT).toBe(2);
  expect(capabilityUpdates()[0]).toMatchObject({
    account: account.id,
    data: { object: { object: 'capability', status: 'active' }, previous_attributes: { status: 'inactive' } },
  });
  await bench.control('trigger', { name: 'restrict', account: account.id });
  await expect.poll(() => capabilityUpdates().length, EVENT_TIMEOUT).toBe(4);
});

test('an onboarding link opens once', async () => {
  const bench = await openBench();
  const refresh_url = 'https://clinic.example.test/refresh';
  const link = await bench.stripe.accountLinks.create({
    account: (await bench.stripe.accounts.create({ type: 'standard' })).id,
    type: 'account_onboarding',
    refresh_url,
    return_url: 'https://clinic.example.test/return',
  });
  expect((await fetch(link.url)).status).toBe(200);
  expect((await fetch(link.url, { redirect: 'manual' })).headers.get('location')).toBe(refresh_url);
});

test('a deleted or deauthorized account rejects requests and sends no events', async () => {
  const bench = await openBench();
  const paid = await bench.paid();
  const deleted = await bench.stripe.accounts.create({ type: 'standard' });
  expect(await bench.stripe.accounts.del(deleted.id)).toMatchObject({ id: deleted.id, deleted: true });
  await expect(bench.stripe.accounts.retrieve(deleted.id)).rejects.toMatchObject({ code: 'account_invalid' });
  await bench.control('trigger', { name: 'deauthorize', account: bench.account });
  await expect
    .poll(() => bench.events.find(({ type }) => type === 'account.application.deauthorized'), EVENT_TIMEOUT)
    .toMatchObject({ account: bench.account, data: { object: { object: 'application' } } });
  expect((await bench.stripe.accounts.list()).data).toEqual([]);
  const eventsBefore = bench.events.length;
  await bench.advance(40 * 24 * HOUR);
  await bench.stripe.products.create({ name: 'Afterwards' });
  await expect
    .poll(() => bench.events.slice(eventsBefore).map(({ type }) => type), EVENT_TIMEOUT)
    .toEqual(['product.created']);
  await expect(bench.get(paid.id)).rejects.toMatchObject({ statusCode: 403 });
});
