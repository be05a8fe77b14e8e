import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { CreatePromotionCodeInput } from '#contract/promotion-code-changes.ts';
import { ROLES } from '#contract/roles.ts';
import type { Context } from '#server/core/context.ts';
import { createPromotionCode } from '#server/plans/create-promotion-code.ts';
import {
  archivePromotionCode,
  listPromotionCodes,
  unarchivePromotionCode,
} from '#server/plans/list-promotion-codes.ts';
import { getPromotionCode } from '#server/plans/plan.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { asAdmin, asApplication, asStaff, makeTenant } from './actors.ts';
import { type Clinic, withClinic } from './clinic.ts';

let billing: Clinic<'stripe' | 'clock'>;
let admin: Context;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true, clock: true });
  billing.stripe.hold(true);
  admin = asAdmin(billing.services, billing.tenant);
  app = asApplication(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());
afterEach(() => billing.stripe.emulator.faults.clear());

const year = new Date().getUTCFullYear();
const on = () => ({ stripeAccount: billing.stripe.accountId });
const newCode = (wish: Partial<CreatePromotionCodeInput> = {}): CreatePromotionCodeInput => ({
  ...{ request_id: crypto.randomUUID(), code: null, discount: { kind: 'percent', percent_off: 20 } },
  ...{ duration: { kind: 'once' }, products: [], max_redemptions: null, last_day: null, first_time_only: false },
  ...wish,
});
const stateOf = async (id: string) => (await listPromotionCodes(admin)).items.find((code) => code.id === id)?.state;
const couponCount = async () => (await billing.stripe.api.coupons.list({ limit: 100 }, on())).data.length;
const fail = (path: string, kind = '503') =>
  billing.stripe.emulator.faults.add({ match: { method: 'POST', path }, kind, times: 100 });

it('a new code gives its discount at once, with every limit', async () => {
  const price = await billing.stripe.price();
  const product = String((await billing.stripe.api.prices.retrieve(price, {}, on())).product);
  const made = await createPromotionCode(
    admin,
    newCode({
      ...{
        code: 'Spring-20',
        products: [product],
        max_redemptions: 1,
        first_time_only: true,
        last_day: `${year + 2}-12-31`,
      },
      duration: { kind: 'repeating', months: 3 },
    }),
  );
  expect(made).toMatchObject({
    ...{ code: 'Spring-20', state: 'active', percent_off: 20, duration: 'repeating', duration_in_months: 3 },
    ...{ products: [product], max_redemptions: 1, last_day: `${year + 2}-12-31`, first_time_only: true },
  });
  // The end of that day in New York.
  const { expires_at, promotion } = await billing.stripe.api.promotionCodes.retrieve(made.id, {}, on());
  expect(new Date(expires_at! * 1000).toISOString()).toBe(`${year + 3}-01-01T05:00:00.000Z`);
  expect(await billing.stripe.api.coupons.retrieve(String(promotion.coupon), {}, on())).toMatchObject({
    name: '20% off',
  });
  expect(await getPromotionCode(app, { code: 'spring-20', price_ids: [price] })).toMatchObject({
    ...{ valid: true, applies: true },
  });
  const patient_id = await billing.patient();
  const bought = await createSubscription(app, { patient_id, price_ids: [price], promotion_code: 'SPRING-20' });
  expect(bought.latest_invoice?.amount_due).toBe(3920);
  expect(await stateOf(made.id)).toBe('used_up');
});

it('an amount has a currency of the plans, and Stripe makes a code where none is typed', async () => {
  const discount = { kind: 'amount' as const, amount_off: 500, currency: 'usd' };
  const made = await createPromotionCode(admin, newCode({ discount, duration: { kind: 'forever' } }));
  expect(made).toMatchObject({ amount_off: 500, currency: 'usd', percent_off: null, duration: 'forever' });
  expect(made.code).toMatch(/^[A-Z0-9]{4,}$/);
  const foreign = newCode({ discount: { ...discount, currency: 'eur' } });
  const atField = (pointer: string) => ({ faults: [{ code: 'invalid_parameter', source: { pointer } }] });
  await expect(createPromotionCode(admin, foreign)).rejects.toMatchObject(atField('/currency'));
  for (const last_day of ['2020-01-01', `${year + 6}-01-01`, '9999-12-31'])
    await expect(createPromotionCode(admin, newCode({ last_day }))).rejects.toMatchObject(atField('/last_day'));
  const nothing = newCode({ products: ['prod_no'] });
  await expect(createPromotionCode(admin, nothing)).rejects.toMatchObject(atField('/products'));
});

it('a code is one, however often its form is sent, and a corrected text uses the same coupon', async () => {
  await createPromotionCode(admin, newCode({ code: 'TAKEN' }));
  const before = await couponCount();
  const input = newCode({ code: 'Taken' });
  await expect(createPromotionCode(admin, input)).rejects.toMatchObject({
    faults: [{ code: 'invalid_parameter', source: { pointer: '/code' } }],
  });
  const corrected = { ...input, code: 'TAKEN2' };
  fail('/v1/promotion_codes');
  await expect(createPromotionCode(admin, corrected)).rejects.toMatchObject({ code: 'provider_unavailable' });
  billing.stripe.emulator.faults.clear();
  const sent = await Promise.all([createPromotionCode(admin, corrected), createPromotionCode(admin, corrected)]);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  expect(await couponCount()).toBe(before + 1);
});

it('an archived code is refused and can be valid again, unless it is over or its text is taken', async () => {
  const { id } = await createPromotionCode(admin, newCode({ code: 'AGAIN' }));
  await archivePromotionCode(admin, { id });
  expect(await stateOf(id)).toBe('archived');
  expect(await getPromotionCode(app, { code: 'AGAIN' })).toMatchObject({ valid: false });
  await unarchivePromotionCode(admin, { id });
  expect(await getPromotionCode(app, { code: 'AGAIN' })).toMatchObject({ valid: true });
  await archivePromotionCode(admin, { id });
  const other = await createPromotionCode(admin, newCode({ code: 'again', last_day: `${year + 1}-06-30` }));
  await expect(unarchivePromotionCode(admin, { id })).rejects.toMatchObject({
    faults: [{ code: 'conflict', detail: 'Another valid code has the same text. Archive that one first.' }],
  });
  await archivePromotionCode(admin, { id: other.id });
  billing.clock.pass(Date.parse(`${year + 1}-07-02`) - Date.now());
  const later = await stateOf(other.id);
  billing.clock.pass(Date.now() - Date.parse(`${year + 1}-07-02`));
  expect(later).toBe('expired');
  await expect(archivePromotionCode(admin, { id: 'promo_no' })).rejects.toMatchObject({ code: 'not_found' });
});

it.each(ROLES)('%s: only administrators and billing make codes, and all staff see them', async (role) => {
  const ctx = asStaff(billing.services, billing.tenant, role);
  const run = createPromotionCode(ctx, newCode());
  if (role === 'admin' || role === 'billing') await run;
  else await expect(run).rejects.toMatchObject({ code: 'forbidden' });
  expect((await listPromotionCodes(ctx)).items.length).toBeGreaterThan(0);
});

it('needs a connected account, and Stripe', async () => {
  const unconnected = asAdmin(billing.services, await makeTenant(billing.services));
  for (const run of [() => listPromotionCodes(unconnected), () => createPromotionCode(unconnected, newCode())])
    await expect(run()).rejects.toMatchObject({ code: 'integration_not_connected' });
  fail('/v1/coupons');
  await expect(createPromotionCode(admin, newCode())).rejects.toMatchObject({ code: 'provider_unavailable' });
});
