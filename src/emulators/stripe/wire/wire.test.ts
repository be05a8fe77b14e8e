import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { clientOf, openBench, PUBLISHABLE_KEY, SECRET_KEY } from '../test-bench.ts';

test('accepts only configured keys, and publishable keys only for Stripe.js operations', async () => {
  const bench = await openBench();
  await expect(clientOf(bench.emulator, 'sk_test_other').customers.list()).rejects.toMatchObject({ statusCode: 401 });
  await expect(clientOf(bench.emulator, PUBLISHABLE_KEY).customers.list()).rejects.toMatchObject({
    statusCode: 403,
    code: 'secret_key_required',
  });
  expect((await fetch(`${bench.emulator.url}/v1/customers`)).status).toBe(401);
  const basic = { authorization: `Basic ${Buffer.from(`${SECRET_KEY}:`).toString('base64')}` };
  expect((await fetch(`${bench.emulator.url}/v1/customers`, { headers: basic })).status).toBe(200);
});

test('accounts see only their own objects, and unknown accounts are rejected', async () => {
  const bench = await openBench();
  const { id } = await bench.stripe.customers.create({ email: 'ada@example.test' }, bench.on);
  await expect(bench.stripe.customers.retrieve(id)).rejects.toMatchObject({
    code: 'resource_missing',
    statusCode: 404,
  });
  await expect(bench.stripe.prices.retrieve('toString', {}, bench.on)).rejects.toMatchObject({
    code: 'resource_missing',
    statusCode: 404,
  });
  await expect(bench.stripe.customers.list({}, { stripeAccount: 'acct_unknown' })).rejects.toMatchObject({
    code: 'account_invalid',
    statusCode: 403,
  });
});

test('rejects unknown paths, parameters and versions in Stripe’s shape', async () => {
  const bench = await openBench();
  await expect(bench.stripe.refunds.create({ charge: 'ch_1' })).rejects.toBeInstanceOf(
    Stripe.errors.StripeInvalidRequestError,
  );
  const mistyped = { emial: 'ada@example.test' } as Stripe.CustomerCreateParams;
  await expect(bench.stripe.customers.create(mistyped)).rejects.toMatchObject({
    code: 'parameter_unknown',
    param: 'emial',
  });
  const nested = { customer: 'cus_1', items: [{ price: 'price_1', amount: 1 } as object] };
  await expect(bench.stripe.subscriptions.create(nested)).rejects.toMatchObject({
    code: 'parameter_unknown',
    param: 'items[0][amount]',
  });
  await expect(bench.stripe.products.create({} as Stripe.ProductCreateParams)).rejects.toMatchObject({
    code: 'parameter_missing',
    param: 'name',
  });
  await expect(bench.stripe.products.list({ limit: 500 })).rejects.toMatchObject({ param: 'limit' });
  await expect(bench.stripe.customers.list({}, { apiVersion: '2024-06-20' })).rejects.toMatchObject({
    statusCode: 400,
  });
});

test('lists page by cursor, newest first, in both directions', async () => {
  const bench = await openBench();
  for (const index of [1, 2, 3, 4, 5]) await bench.stripe.products.create({ name: `Product ${index}` }, bench.on);
  const names = (page: Stripe.ApiList<Stripe.Product>) => page.data.map(({ name }) => name.at(-1)).join('');
  const first = await bench.stripe.products.list({ limit: 2 }, bench.on);
  expect([names(first), first.has_more]).toEqual(['54', true]);
  const second = await bench.stripe.products.list({ limit: 2, starting_after: first.data[1]!.id }, bench.on);
  expect([names(second), second.has_more]).toEqual(['32', true]);
  const back = await bench.stripe.products.list({ limit: 2, ending_before: second.data[1]!.id }, bench.on);
  expect([names(back), back.has_more]).toEqual(['43', true]);
  expect(await bench.stripe.products.list({ limit: 2 }, bench.on).autoPagingToArray({ limit: 10 })).toHaveLength(5);
});

test('expands references on request, at most four levels deep', async () => {
  const bench = await openBench();
  const price = await bench.price();
  const { data } = await bench.stripe.prices.list({ expand: ['data.product'] }, bench.on);
  expect((data[0]!.product as Stripe.Product).name).toBe('Care plan');
  const expanding = (expand: string[]) => bench.stripe.prices.retrieve(price.id, { expand }, bench.on);
  await expect(expanding(['metadata'])).rejects.toMatchObject({
    message: 'This property cannot be expanded (metadata).',
  });
  await expect(expanding(['a.b.c.d.e'])).rejects.toMatchObject({
    message: expect.stringContaining('more than 4 levels'),
  });
});

test('metadata is merged, deleted by key and cleared', async () => {
  const bench = await openBench();
  const { id } = await bench.stripe.customers.create({ metadata: { a: '1', b: '2' } }, bench.on);
  const merged = await bench.stripe.customers.update(id, { metadata: { b: '', c: '3' } }, bench.on);
  expect(merged.metadata).toEqual({ a: '1', c: '3' });
  expect((await bench.stripe.customers.update(id, { metadata: '' }, bench.on)).metadata).toEqual({});
});

test('an idempotency key replays the same request and rejects another request', async () => {
  const bench = await openBench();
  const options = { ...bench.on, idempotencyKey: 'patient-1' };
  const first = await bench.stripe.customers.create({ email: 'ada@example.test' }, options);
  const replayed = await bench.stripe.customers.create({ email: 'ada@example.test' }, options);
  expect(replayed.id).toBe(first.id);
  expect(replayed.lastResponse.headers['idempotent-replayed']).toBe('true');
  const other = bench.stripe.customers.create({ email: 'eve@example.test' }, options);
  await expect(other).rejects.toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 });
  const onPlatform = await bench.stripe.customers.create(
    { email: 'ada@example.test' },
    { idempotencyKey: 'patient-1' },
  );
  expect(onPlatform.id).not.toBe(first.id);
  await bench.advance(25 * 3600);
  const expired = await bench.stripe.customers.create({ email: 'eve@example.test' }, options);
  expect(expired.id).not.toBe(first.id);
});

test('an idempotency key stays unused after a parameter error, and replays a card error', async () => {
  const bench = await openBench();
  const create = (params: object, idempotencyKey: string) =>
    bench.stripe.paymentIntents.create(params as Stripe.PaymentIntentCreateParams, { ...bench.on, idempotencyKey });
  await expect(create({ amount: 100 }, 'k1')).rejects.toMatchObject({ code: 'parameter_missing' });
  expect((await create({ amount: 100, currency: 'usd' }, 'k1')).status).toBe('requires_payment_method');
  const declined = { amount: 100, currency: 'usd', confirm: true, payment_method: 'pm_card_chargeDeclined' };
  await expect(create(declined, 'k2')).rejects.toMatchObject({ statusCode: 402 });
  const before = bench.emulator.world.state.accounts[bench.account]!.objects.payment_intent;
  const count = Object.keys(before).length;
  await expect(create(declined, 'k2')).rejects.toMatchObject({ statusCode: 402 });
  expect(Object.keys(before)).toHaveLength(count);
});

test('a second concurrent request with the same idempotency key returns 409', async () => {
  const bench = await openBench({ latencyMs: 400 });
  const create = () => bench.stripe.customers.create({}, { ...bench.on, idempotencyKey: 'k' });
  const outcomes = await Promise.allSettled([create(), create()]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { statusCode: 409, code: 'idempotency_key_in_use' },
  });
});

test('a retry with its idempotency key finds a response that was lost after the effect', async () => {
  const bench = await openBench();
  await bench.control('faults', {
    match: { method: 'POST', path: '/v1/customers' },
    kind: 'timeout_after',
    holdMs: 50,
  });
  const options = { ...bench.on, idempotencyKey: 'k', maxNetworkRetries: 2 };
  await bench.stripe.customers.create({}, options);
  expect((await bench.stripe.customers.list({}, bench.on)).data).toHaveLength(1);
});

test('a client secret gives access only to its own intent', async () => {
  const bench = await openBench();
  const intent = await bench.stripe.paymentIntents.create({ amount: 100, currency: 'usd' }, bench.on);
  const otherIntent = await bench.stripe.paymentIntents.create({ amount: 100, currency: 'usd' }, bench.on);
  const read = async (id: string, secret: string) => {
    const query = new URLSearchParams({ key: PUBLISHABLE_KEY, _stripe_account: bench.account, client_secret: secret });
    return (await fetch(`${bench.emulator.url}/v1/payment_intents/${id}?${query}`)).json();
  };
  expect(await read(intent.id, intent.client_secret!)).toMatchObject({
    id: intent.id,
    status: 'requires_payment_method',
  });
  expect(await read(intent.id, intent.client_secret!)).not.toHaveProperty('metadata');
  expect((await read(intent.id, otherIntent.client_secret!)).error.param).toBe('client_secret');
  expect((await read(intent.id, '')).error).toBeDefined();
});
