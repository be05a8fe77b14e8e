import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CreateCheckoutSessionInput } from '#contract/checkout-sessions.ts';
import { asApplication, asPatient, withKey } from '#dev/testing/actors.ts';
import { CARD, failOnReplay } from '#dev/testing/billing.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context } from '#server/core/context.ts';
import type { CarelaneError } from '#server/core/errors.ts';
import { updateSubscription } from '../change/update-subscription.ts';
import { listSubscriptions } from '../records/list-subscriptions.ts';
import { getSubscription } from '../sync/get-subscription.ts';
import { createCheckoutSession } from './create-checkout-session.ts';
import { createSubscription } from './create-subscription.ts';

const APP = 'https://app.example.test';
let billing: Clinic<'stripe'>;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
  await app.db.tenantRoute.create({ data: { key: `origin:${APP}`, tenantId: billing.tenant.id } });
});
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
const newInput = async (more: Partial<CreateCheckoutSessionInput> = {}): Promise<CreateCheckoutSessionInput> => ({
  patient_id: await billing.patient(),
  price_ids: [await billing.stripe.price()],
  success_url: `${APP}/welcome?session={CHECKOUT_SESSION_ID}`,
  cancel_url: `${APP}/plans`,
  ...more,
});
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: CarelaneError) => error.faults[0],
  );
/** As the patient submits Stripe's page. */
const submit = (url: string, fields: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ number: CARD.good, expiry: '12 / 68', cvc: '123', ...fields }),
  });
const bought = async (patient_id: string) => (await listSubscriptions(app, { patient_id })).items;

test('a purchase on the page becomes the patient’s subscription by its webhook', async () => {
  const input = await newInput({ client_reference_id: 'cart-1701' });
  const page = await createCheckoutSession(app, input);
  expect(page).toMatchObject({ status: 'open', client_reference_id: 'cart-1701', price_ids: input.price_ids });
  expect(await bought(input.patient_id)).toEqual([]);
  const done = await submit(page.url!);
  expect(done.headers.get('location')).toBe(`${APP}/welcome?session=${page.id}`);
  await expect
    .poll(async () => (await bought(input.patient_id)).map(({ status }) => status), { timeout: 10_000 })
    .toEqual(['active']);
  expect(await app.db.processorCustomer.count({ where: { patientId: input.patient_id } })).toBe(1);
  const id = (await bought(input.patient_id))[0]?.id;
  const { patient_id, price_ids } = input;
  for (const repeated of [
    () => createCheckoutSession(app, input),
    () => createSubscription(app, { patient_id, price_ids }),
  ])
    expect(await errorOf(repeated())).toMatchObject({ code: 'conflict', meta: { subscription_id: id } });
});

test('the page starts the trial of a plan, and accepts a promotion code where allowed', async () => {
  const trial = await newInput({ price_ids: [await billing.stripe.price({ trial: '7' })] });
  await submit((await createCheckoutSession(app, trial)).url!);
  await expect
    .poll(async () => await bought(trial.patient_id), { timeout: 10_000 })
    .toMatchObject([{ status: 'trialing', next_action: 'none' }]);

  const coupon = await billing.stripe.api.coupons.create({ percent_off: 50, duration: 'once' }, on());
  await billing.stripe.api.promotionCodes.create(
    { code: 'HALF', promotion: { type: 'coupon', coupon: coupon.id } },
    on(),
  );
  const withCodes = await newInput({ allow_promotion_codes: true });
  await submit((await createCheckoutSession(app, withCodes)).url!, { code: 'half' });
  await expect
    .poll(async () => await bought(withCodes.patient_id), { timeout: 10_000 })
    .toMatchObject([{ status: 'active', discount: { code: 'HALF', percent_off: 50 } }]);
  const plain = await createCheckoutSession(app, await newInput());
  expect((await billing.stripe.api.checkout.sessions.retrieve(plain.id, {}, on())).allow_promotion_codes).not.toBe(
    true,
  );
});

test('return pages must have an allowed origin', async () => {
  const input = await newInput();
  const invalid = [
    'https://evil.example.test/welcome',
    `${APP}.evil.example.test/`,
    `https://app.example.test@evil.example.test/`,
    `${APP}\\@evil.example.test/`,
    `${APP}/\n/evil.example.test/`,
    `https://someone@app.example.test/`,
    'http://app.example.test/',
    'javascript:alert(1)',
    '/welcome',
    'not a page',
  ];
  for (const field of ['success_url', 'cancel_url'] as const)
    for (const url of invalid)
      expect(await errorOf(createCheckoutSession(app, { ...input, [field]: url }))).toMatchObject({
        code: 'invalid_parameter',
        source: { pointer: `/${field}` },
      });
  const local = { ...input, success_url: 'http://localhost:5173/welcome', cancel_url: 'http://127.0.0.1:5173/plans' };
  expect((await createCheckoutSession(app, local)).url, 'in a sandbox').toMatch(/^http/);
  const live = { ...app, config: { ...app.config, environment: 'production' as const } };
  expect(await errorOf(createCheckoutSession(live, local))).toMatchObject({ source: { pointer: '/success_url' } });
  for (const url of ['http://localhost:5173@evil.example.test/', 'http://localhost.evil.example.test/'])
    expect(await errorOf(createCheckoutSession(app, { ...local, success_url: url }))).not.toBeNull();
  const own = `${billing.services.config.publicUrl}/playground`;
  expect((await createCheckoutSession(app, { ...input, success_url: own, cancel_url: own })).url).toMatch(/^http/);
});

test('a page is for its own patient and offered prices, and created once per key', async () => {
  const input = await newInput();
  const anotherPatient = asPatient(billing.services, billing.tenant, await billing.patient());
  expect(await errorOf(createCheckoutSession(anotherPatient, input))).toMatchObject({ code: 'not_found' });
  const reader = asApplication(billing.services, billing.tenant, ['subscriptions:read']);
  expect(await errorOf(createCheckoutSession(reader, input))).toMatchObject({ code: 'forbidden' });
  for (const price_ids of [['price_no'], [await billing.stripe.price({ recurring: undefined })]])
    expect(await errorOf(createCheckoutSession(app, { ...input, price_ids }))).toMatchObject({
      code: 'price_not_offered',
    });
  const ctx = withKey(app, 'one-page');
  const pages = await Promise.all(Array.from({ length: 4 }, () => createCheckoutSession(ctx, input)));
  expect(new Set(pages.map(({ id }) => id)).size).toBe(1);
  const patientCtx = asPatient(billing.services, billing.tenant, input.patient_id);
  expect(await createCheckoutSession(patientCtx, input)).toMatchObject({ status: 'open' });
});

test('a page ends an incomplete subscription with the same price', async () => {
  const input = await newInput();
  const { patient_id, price_ids } = input;
  const incomplete = await createSubscription(app, { patient_id, price_ids });
  await createCheckoutSession(app, input);
  expect((await billing.stripe.api.subscriptions.retrieve(incomplete.id, {}, on())).status).toMatch(/canceled|expired/);
});

const pageAt = async (id: string) => (await billing.stripe.api.checkout.sessions.retrieve(id, {}, on())).status;

test('a page ends when the patient subscribes to one of its prices, and for no other reason', async () => {
  const input = await newInput();
  const { patient_id, price_ids } = input;
  const page = await createCheckoutSession(app, input);
  await createSubscription(app, { patient_id, price_ids: [await billing.stripe.price()] });
  await createSubscription(app, { patient_id: await billing.patient(), price_ids });
  await createSubscription(app, { patient_id, price_ids, allow_duplicate: true });
  expect(await pageAt(page.id)).toBe('open');

  const other = await newInput({ patient_id });
  const opened = await createCheckoutSession(app, other);
  const subscription = await createSubscription(app, { patient_id, price_ids: other.price_ids });
  expect([await pageAt(opened.id), await pageAt(page.id), subscription.status]).toEqual([
    'expired',
    'open',
    'incomplete',
  ]);
  expect((await submit(opened.url!)).headers.get('location') ?? '').not.toContain('/welcome');
  expect((await bought(patient_id)).filter(({ status }) => status === 'active')).toEqual([]);
});

test('a page ends when another subscription changes to one of its prices, unless a duplicate is allowed', async () => {
  const input = await newInput();
  const { patient_id, price_ids } = input;
  const running = await createSubscription(app, { patient_id, price_ids: [await billing.stripe.price()] });
  await billing.stripe.pay(running);
  const { id } = running;
  const status = async () => (await getSubscription(app, { id })).status;
  await expect.poll(status, { timeout: 10_000 }).toBe('active');
  const page = await createCheckoutSession(app, input);
  await updateSubscription(app, { id, price_ids: [await billing.stripe.price()] });
  await updateSubscription(app, {
    id,
    price_ids: [price_ids[0]!, await billing.stripe.price()],
    allow_duplicate: true,
  });
  expect(await pageAt(page.id)).toBe('open');
  await updateSubscription(app, { id, price_ids: [await billing.stripe.price()] });
  await updateSubscription(app, { id, price_ids });
  expect(await pageAt(page.id)).toBe('expired');

  const other = await newInput({ patient_id });
  const bought = await createCheckoutSession(app, other);
  billing.stripe.hold(true);
  await submit(bought.url!);
  expect(await errorOf(updateSubscription(app, { id, price_ids: other.price_ids }))).toMatchObject({
    code: 'conflict',
    meta: { status: 'active' },
  });
  billing.stripe.hold(false);
  expect((await getSubscription(app, { id })).price_ids).toEqual(price_ids);
});

test('a page ends when another page sells the same price', async () => {
  const input = await newInput();
  const [first, second] = [await createCheckoutSession(app, input), await createCheckoutSession(app, input)];
  expect([await pageAt(first.id), await pageAt(second.id)]).toEqual(['expired', 'open']);
});

test('a page that was just paid blocks a new subscription, also before its webhook arrives', async () => {
  const input = await newInput();
  const { patient_id, price_ids } = input;
  const page = await createCheckoutSession(app, input);
  billing.stripe.hold(true);
  await submit(page.url!);
  expect(await bought(patient_id)).toEqual([]);
  const rejection = await errorOf(createSubscription(app, { patient_id, price_ids }));
  expect(rejection).toMatchObject({ code: 'conflict', meta: { status: 'active' } });
  const [only, ...others] = await bought(patient_id);
  expect([only?.id, others]).toEqual([rejection?.meta?.subscription_id, []]);
  expect(await errorOf(createCheckoutSession(app, input))).toMatchObject({ code: 'conflict' });
  const key = withKey(app, 'after-the-page');
  for (const _ of [1, 2])
    expect(await errorOf(createSubscription(key, { patient_id, price_ids }))).toMatchObject({ code: 'conflict' });
  const at = await billing.stripe.api.subscriptions.list({ price: price_ids[0]!, status: 'all' }, on());
  expect(at.data).toHaveLength(1);
  billing.stripe.hold(false);
});

test('a concurrent page and subscription leave only one of them payable', async () => {
  for (let round = 0; round < 2; round++) {
    const input = await newInput();
    const { patient_id, price_ids } = input;
    await createSubscription(app, { patient_id, price_ids: [await billing.stripe.price()] });
    const [page] = await Promise.all([
      createCheckoutSession(app, input).catch(() => null),
      createSubscription(app, { patient_id, price_ids }).catch(() => null),
    ]);
    const open = page && (await pageAt(page.id)) === 'open' ? 1 : 0;
    const { data } = await billing.stripe.api.subscriptions.list({ price: price_ids[0]!, status: 'incomplete' }, on());
    expect([round, open + data.length]).toEqual([round, 1]);
  }
});

test('a page is created once per key, also when Stripe replays its own failure', async () => {
  const input = await newInput();
  const ctx = withKey(app, 'failed-page');
  const { id } = await createCheckoutSession(ctx, input);
  failOnReplay(billing, 'carelane-checkout-');
  const repeated = await createCheckoutSession(ctx, input);
  expect(repeated.id).not.toBe(id);
  expect((await billing.stripe.api.checkout.sessions.retrieve(id, {}, on())).status).toBe('expired');
});
