import { createHmac } from 'node:crypto';
import Stripe from 'stripe';
import { expect, onTestFinished, test } from 'vitest';
import { type Bench, DAY, EVENT_TIMEOUT, listen, openBench, urlOf } from './test-bench.ts';

const drop = (bench: Bench, how: object) => bench.control('trigger', { name: 'drop_webhooks', ...how });
const listed = (bench: Bench, params: Stripe.EventListParams = {}) =>
  bench.stripe.events.list({ limit: 100, ...params }, bench.on).autoPagingToArray({ limit: 10_000 });
const products = async (bench: Bench, names: string[]) => {
  for (const name of names) await bench.stripe.products.create({ name }, bench.on);
};
const receivedNames = (bench: Bench) =>
  bench.events.map(({ data }) => (data.object as Stripe.Product).name).filter((name) => name !== undefined);

test('dropped webhooks are not delivered, but their events are listed as undelivered', async () => {
  const bench = await openBench();
  await drop(bench, { all: true });
  await products(bench, ['lost']);
  await drop(bench, {});
  await products(bench, ['kept']);
  await expect.poll(() => receivedNames(bench), EVENT_TIMEOUT).toEqual(['kept']);
  const names = async (params: Stripe.EventListParams) =>
    (await listed(bench, params)).map(({ data }) => (data.object as Stripe.Product).name);
  expect(await names({})).toEqual(['kept', 'lost']);
  await expect.poll(() => names({ delivery_success: true }), EVENT_TIMEOUT).toEqual(['kept']);
  const [undelivered] = await listed(bench, { delivery_success: false });
  expect([(undelivered!.data.object as Stripe.Product).name, undelivered!.pending_webhooks]).toEqual(['lost', 1]);
  // A resent event that is accepted counts as delivered.
  await bench.control('trigger', { name: 'resend_events', account: bench.account, events: [undelivered!.id] });
  await expect.poll(() => names({ delivery_success: false }), EVENT_TIMEOUT).toEqual([]);
});

test('drops the next few, a seeded share, or some types only', async () => {
  const bench = await openBench();
  await drop(bench, { next: 2 });
  await products(bench, ['a', 'b', 'c']);
  await expect.poll(() => receivedNames(bench), EVENT_TIMEOUT).toEqual(['c']);
  await drop(bench, { all: true, types: ['price.*'] });
  await bench.price();
  await expect.poll(bench.types, EVENT_TIMEOUT).toContain('product.created');
  expect(await bench.control('trigger', { name: 'dropped_webhooks' })).toMatchObject([{ type: 'price.created' }]);
  const droppedBySeed = async (seed: number) => {
    await drop(bench, { share: 0.3, seed });
    await products(
      bench,
      Array.from({ length: 40 }, (_, index) => `p${index}`),
    );
    const dropped = await bench.control('trigger', { name: 'dropped_webhooks' });
    const all = (await listed(bench, { type: 'product.created' })).slice(0, 40).map(({ id }) => id);
    return dropped.map(({ event }: { event: string }) => 40 - 1 - all.indexOf(event));
  };
  const [first, second, other] = [await droppedBySeed(7), await droppedBySeed(7), await droppedBySeed(8)];
  expect(first).toEqual(second);
  expect(first).not.toEqual(other);
  expect(first.length).toBeGreaterThan(4);
  expect(first.length).toBeLessThan(22);
  for (const invalid of [{ share: 2 }, { next: 0 }, { all: true, next: 1 }, { often: true }])
    expect((await drop(bench, invalid)).error).toEqual(expect.any(String));
});

test('lists events with paging, by type and time, for 30 days', async () => {
  const bench = await openBench();
  await products(bench, ['a', 'b', 'c']);
  await bench.price();
  expect(await listed(bench, { limit: 2 })).toHaveLength(5);
  expect(await listed(bench, { types: ['price.created'] })).toHaveLength(1);
  expect(await listed(bench, { type: 'product.*' })).toHaveLength(4);
  await expect(listed(bench, { type: 'a', types: ['b'] })).rejects.toMatchObject({ statusCode: 400 });
  await bench.advance(DAY);
  const since = Math.floor(Date.now() / 1000) + DAY - 60;
  await products(bench, ['d']);
  expect(await listed(bench, { created: { gte: since } })).toHaveLength(1);
  const [oldest] = (await listed(bench)).slice(-1);
  await bench.advance(29 * DAY + 60);
  expect(await listed(bench)).toHaveLength(1);
  await expect(bench.stripe.events.retrieve(oldest!.id, {}, bench.on)).rejects.toMatchObject({ statusCode: 404 });
});

test('both secrets sign while one is rolled, then only the new one', async () => {
  const bench = await openBench({ webhookEndpoints: [] });
  const got: { body: string; signature: string }[] = [];
  const receiver = await listen(async (body, signature) => void got.push({ body, signature }));
  onTestFinished(() => void receiver.close());
  const endpoint = await bench.stripe.webhookEndpoints.create({
    url: urlOf(receiver),
    connect: true,
    enabled_events: ['product.created'],
  });
  const rolled = await bench.control('trigger', {
    name: 'roll_secret',
    endpoint: endpoint.id,
    expires_in_seconds: 3600,
  });
  const accepted = async (secret: string) => {
    const count = got.length;
    await products(bench, ['x']);
    await expect.poll(() => got.length, EVENT_TIMEOUT).toBe(count + 1);
    const { body, signature } = got.at(-1)!;
    const stamp = /t=(\d+)/.exec(signature)![1];
    expect(signature).toContain(createHmac('sha256', rolled.secret).update(`${stamp}.${body}`).digest('hex'));
    try {
      return Boolean(Stripe.webhooks.constructEvent(body, signature, secret));
    } catch {
      return false;
    }
  };
  expect([await accepted(endpoint.secret!), await accepted(rolled.secret)]).toEqual([true, true]);
  await bench.advance(3601);
  expect([await accepted(endpoint.secret!), await accepted(rolled.secret)]).toEqual([false, true]);
  expect((await bench.control('trigger', { name: 'roll_secret', endpoint: 'we_none' })).error).toContain('we_none');
});
