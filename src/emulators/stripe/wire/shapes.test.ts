import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type Stripe from 'stripe';
import { expect, onTestFinished, test } from 'vitest';
import { type Bench, CARDS, DAY, openBench, SECRET_KEY } from '../test-bench.ts';
import { FIXTURE_FIELDS } from './fixture-fields.ts';

type Wire = Record<string, unknown> & { object: string; id: string };
const root = path.resolve(import.meta.dirname, '../../../..');

/** A response of the emulator with the name of its type in the official package. */
type Sample = { type: string; wire: Wire };

/** Reads the raw response, because the client would convert decimals to objects. */
const reader =
  (bench: Bench) =>
  async (path: string, expand: string[] = []) => {
    const query = expand.map((name) => `expand[]=${encodeURIComponent(name)}`).join('&');
    const headers = { authorization: `Bearer ${SECRET_KEY}`, connection: 'close', 'stripe-account': bench.account };
    const response = await fetch(`${bench.emulator.url}/v1/${path}${path.includes('?') ? '&' : '?'}${query}`, {
      headers,
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };

const kindOf = ({ data, type }: Wire) =>
  [type, ...Object.keys((data as Stripe.Event.Data).previous_attributes ?? {})].join(' ');

/** Runs a typical account's operations and returns every kind of object that results. */
async function collect(): Promise<Sample[]> {
  const bench = await openBench();
  const { on, stripe } = bench;
  const read = reader(bench);
  const all = async (type: string, path: string, expand: string[] = []): Promise<Sample[]> =>
    (await read(`${path}?limit=100`, expand)).data.map((wire: Wire) => ({ type, wire }));
  const one = async (type: string, path: string, expand: string[] = []): Promise<Sample> => ({
    type,
    wire: await read(path, expand),
  });
  const coupon = await stripe.coupons.create({ percent_off: 25, duration: 'forever', name: 'Friends' }, on);
  const code = await stripe.promotionCodes.create(
    { code: 'FRIENDS', promotion: { type: 'coupon', coupon: coupon.id } },
    on,
  );
  const paid = await bench.paid('4000000000000259', { discounts: [{ promotion_code: code.id }] });
  const good = await bench.paid();
  const [charge] = (await stripe.charges.list({ limit: 1 }, on)).data;
  await stripe.refunds.create({ charge: charge!.id, amount: 100 }, on);
  const expensive = await bench.price({ unit_amount: 9900 });
  const items = [{ id: good.items.data[0]!.id, price: expensive.id }];
  await stripe.subscriptions.update(good.id, { items, proration_behavior: 'always_invoice' }, on);
  const trial = await bench.subscribe({ trial_period_days: 7, cancel_at_period_end: true });
  const waiting = await bench.subscribe();
  const [open] = await bench.invoicesOf(waiting.id);
  await bench.confirm(
    (await read(`invoices/${open!.id}`, ['confirmation_secret'])).confirmation_secret.client_secret,
    CARDS.declined,
  );
  const challenged = await stripe.setupIntents.create({ usage: 'off_session' }, on);
  await bench.confirm(challenged.client_secret!, CARDS.authenticates);
  const success_url = 'https://clinic.example.test';
  const line_items = [{ price: expensive.id, quantity: 2 }];
  const sale = await stripe.checkout.sessions.create({ mode: 'subscription', line_items, success_url }, on);
  await fetch(sale.url!, {
    method: 'POST',
    headers: { connection: 'close' },
    body: new URLSearchParams({ number: CARDS.good, expiry: '12/68', cvc: '123', email: 'ada@example.test' }),
    redirect: 'manual',
  });
  await stripe.checkout.sessions.create({ mode: 'setup', currency: 'usd', success_url }, on);
  const deletedCustomer = await stripe.customers.create({}, on);
  await stripe.customers.del(deletedCustomer.id, {}, on);
  await stripe.testHelpers.testClocks.create({ frozen_time: Math.floor(Date.now() / 1000) }, on);
  await stripe.webhookEndpoints.create({ url: 'https://clinic.example.test', enabled_events: ['*'] }, on);
  const capable = await stripe.accounts.create({ capabilities: { card_payments: { requested: true } } });
  const pausing = { end_behavior: { missing_payment_method: 'pause' as const } };
  const paused = await bench.subscribe({ trial_period_days: 7, trial_settings: pausing });
  const uncollected = await bench.paid(CARDS.authenticates);
  const resumes_at = Math.floor(Date.now() / 1000) + 60 * DAY;
  await stripe.subscriptions.update(uncollected.id, { pause_collection: { behavior: 'void', resumes_at } }, on);
  const refresh_url = success_url;
  const deletedAccount = (await stripe.accounts.create()).id;
  const link = { account: deletedAccount, type: 'account_onboarding' as const, refresh_url, return_url: success_url };
  const unsold = await stripe.products.create({ name: 'Unsold' }, on);
  const unused = await stripe.coupons.create({ percent_off: 5 }, on);
  const responses: [string, object][] = [
    ['AccountLink', await stripe.accountLinks.create(link)],
    ['DeletedAccount', await stripe.accounts.del(deletedAccount)],
    ['DeletedCoupon', await stripe.coupons.del(unused.id, {}, on)],
    ['DeletedProduct', await stripe.products.del(unsold.id, {}, on)],
  ];
  const early = await all('Event', 'events');
  await bench.advance(32 * DAY);
  const held = await bench.paid();
  const failing = await stripe.paymentMethods.attach(
    'pm_card_chargeCustomerFail',
    { customer: held.customer as string },
    on,
  );
  await stripe.subscriptions.update(held.id, { default_payment_method: failing.id }, on);
  const change = { items: [{ id: held.items.data[0]!.id, price: expensive.id }], proration_behavior: 'always_invoice' };
  const pending = { ...change, payment_behavior: 'pending_if_incomplete' } as Stripe.SubscriptionUpdateParams;
  await stripe.subscriptions.update(held.id, pending, on);

  // One event of each type and set of changed fields.
  const events = new Map([...early, ...(await all('Event', 'events'))].map((event) => [kindOf(event.wire), event]));
  const preview = await stripe.invoices.createPreview({ subscription: paid.id }, on);
  const plain = JSON.parse(JSON.stringify(preview)) as Wire;
  const account: Wire = await (
    await fetch(`${bench.emulator.url}/v1/accounts/${capable.id}/capabilities/card_payments`, {
      headers: { authorization: `Bearer ${SECRET_KEY}`, connection: 'close' },
    })
  ).json();
  const subscriptionParts = ['latest_invoice.payments', 'pending_setup_intent', 'discounts.promotion_code', 'customer'];
  return [
    ...(await all('Account', 'accounts')),
    { type: 'Capability', wire: account },
    ...(await all('Charge', 'charges', ['data.refunds'])),
    ...(await all('Checkout.Session', 'checkout/sessions', ['data.line_items'])),
    ...(await all('Coupon', 'coupons')),
    ...(await all('Customer', 'customers')),
    await one('DeletedCustomer', `customers/${deletedCustomer.id}`),
    ...(await all('Dispute', 'disputes')),
    ...events.values(),
    ...(await all('Invoice', 'invoices', ['data.payments', 'data.confirmation_secret', 'data.discounts'])),
    { type: 'Invoice', wire: plain },
    ...(await all('PaymentIntent', 'payment_intents', ['data.latest_charge', 'data.payment_method'])),
    ...(await all('PaymentMethod', `customers/${good.customer}/payment_methods`)),
    ...(await all('Price', 'prices', ['data.product'])),
    ...(await all('Product', 'products')),
    ...(await all('PromotionCode', 'promotion_codes', ['data.promotion.coupon'])),
    ...(await all('Refund', 'refunds')),
    ...(await all('SetupIntent', 'setup_intents')),
    await one('Subscription', `subscriptions/${paid.id}`, subscriptionParts),
    await one('Subscription', `subscriptions/${good.id}`, subscriptionParts),
    await one('Subscription', `subscriptions/${trial.id}`, subscriptionParts),
    await one('Subscription', `subscriptions/${paused.id}`, subscriptionParts),
    await one('Subscription', `subscriptions/${uncollected.id}`, subscriptionParts),
    await one('Subscription', `subscriptions/${held.id}`, subscriptionParts),
    ...(await all('TestHelpers.TestClock', 'test_helpers/test_clocks')),
    ...(await all('WebhookEndpoint', 'webhook_endpoints')),
    ...responses.map(([type, response]) => ({ type, wire: JSON.parse(JSON.stringify(response)) as Wire })),
  ];
}

test('every field, including nested ones, exists in the official package’s types', async () => {
  const samples = await collect();
  // Inside the project, where the package's types resolve, but in an ignored folder.
  mkdirSync(path.join(root, '.run'), { recursive: true });
  const folder = mkdtempSync(path.join(root, '.run/shapes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const code = samples.map(({ type, wire }, index) => {
    const one = type === 'Event' ? `Extract<Stripe.Event, { type: '${wire.type}' }>` : `Stripe.${type}`;
    return `export const _${wire.object.replace('.', '_')}_${index} = ${JSON.stringify(wire, null, 1)} satisfies Wire<${one}>;`;
  });
  const file = path.join(folder, 'answers.ts');
  writeFileSync(
    file,
    `import type Stripe from 'stripe';
// As JSON: decimals are strings, and some lists have a total_count.
type Wire<T> = T extends { isZero(): boolean } ? string
  : T extends { object: 'list'; data: (infer U)[] } ? { object: 'list'; data: Wire<U>[]; has_more: boolean; url: string; total_count?: number }
  : T extends (infer U)[] ? Wire<U>[]
  : T extends string ? T
  : T extends object ? { [K in keyof T]: Wire<T[K]> } : T;
${code.join('\n')}
// Control cases that must not compile: an extra field, a missing field, a field of another type.
// @ts-expect-error
export const tooMany = { type: 'coupon', coupon: null, created: 1 } satisfies Wire<Stripe.Discount.Source>;
// @ts-expect-error
export const missing = { type: 'coupon' } satisfies Wire<Stripe.Discount.Source>;
// @ts-expect-error
export const other = { start: 1, end: '2' } satisfies Wire<Stripe.InvoiceLineItem.Period>;
`,
  );
  const tsc = path.join(root, 'node_modules/.bin/tsc');
  const flags =
    '--noEmit --strict --skipLibCheck --ignoreConfig --target es2023 --module esnext --moduleResolution bundler'.split(
      ' ',
    );
  const output = await promisify(execFile)(tsc, [...flags, file], { cwd: root }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(output.replaceAll(folder, '').slice(0, 12_000)).toBe('');
}, 60_000);

/**
 * Differences between the fixtures and version 2026-10-28.endive of
 * the package, and fields that only some objects have.
 */
const KNOWN_DIFFERENCES: Record<string, { added: string[]; missing: string[] }> = {
  // Included only when expanded.
  charge: { added: [], missing: ['refunds'] },
  // `line_items` is included because the test expands it.
  'checkout.session': { added: ['allowed_payment_method_types', 'line_items'], missing: [] },
  customer: { added: ['customer_account'], missing: [] },
  dispute: { added: ['intended_submission_method'], missing: [] },
  // For a connected account.
  event: { added: ['account'], missing: [] },
  // The added fields are included only when expanded; `subscription` is under `parent` since 2025-03-31.basil.
  invoice: { added: ['confirmation_secret', 'payments'], missing: ['subscription'] },
  payment_intent: { added: ['allowed_payment_method_types', 'payment_record'], missing: [] },
  product: { added: ['tax_details'], missing: [] },
  setup_intent: { added: ['allowed_payment_method_types', 'customer_account'], missing: [] },
  // While the subscription is paused.
  subscription: { added: ['status_details'], missing: [] },
  subscription_item: { added: ['billed_until', 'current_trial'], missing: [] },
};

/** Returns an object and all objects in it, except lists. */
function objectsIn(value: unknown): Wire[] {
  if (value === null || typeof value !== 'object') return [];
  const within = Object.values(value).flatMap(objectsIn);
  const { object } = value as Partial<Wire>;
  return typeof object === 'string' && object !== 'list' ? [value as Wire, ...within] : within;
}

test('no field of Stripe’s own fixtures is missing, and none is invented', async () => {
  const differences: Record<string, { added: Set<string>; missing: Set<string> }> = {};
  for (const wire of (await collect()).flatMap((sample) => objectsIn(sample.wire))) {
    const name = wire.deleted ? `deleted_${wire.object}` : wire.object;
    const fields = FIXTURE_FIELDS[name]?.split(' ');
    if (!fields) throw new Error(`no fixture of ${name}`);
    differences[name] ??= { added: new Set(), missing: new Set() };
    const { added, missing } = differences[name];
    for (const field of Object.keys(wire)) if (!fields.includes(field)) added.add(field);
    for (const field of fields) if (!(field in wire)) missing.add(field);
  }
  const differing = Object.entries(differences).filter(([, { added, missing }]) => added.size + missing.size > 0);
  const sorted = differing.map(([name, { added, missing }]) => [
    name,
    { added: [...added].sort(), missing: [...missing].sort() },
  ]);
  expect(Object.fromEntries(sorted)).toEqual(KNOWN_DIFFERENCES);
  expect(Object.keys(FIXTURE_FIELDS).filter((name) => !(name in differences))).toEqual([]);
});
