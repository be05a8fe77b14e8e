import { afterAll, beforeAll, expect, it } from 'vitest';
import { asApplication, asPatient, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context } from '#server/core/context.ts';
import { getPromotionCode } from './plan.ts';

let billing: Clinic<'stripe'>;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
async function code(text: string, more: { coupon?: object; code?: object } = {}) {
  const coupon = await billing.stripe.api.coupons.create({ percent_off: 20, duration: 'once', ...more.coupon }, on());
  const promotion = { type: 'coupon' as const, coupon: coupon.id };
  return billing.stripe.api.promotionCodes.create({ code: text, promotion, ...more.code }, on());
}

it('a promotion code is found in any case, with its discount and whether it applies to the given prices', async () => {
  const price = await billing.stripe.price();
  const { product } = await billing.stripe.api.prices.retrieve(price, {}, on());
  await code('WELCOME20', { coupon: { applies_to: { products: [String(product)] } } });
  const promotionCode = await getPromotionCode(app, { code: 'welcome20' });
  expect(promotionCode).toMatchObject({
    code: 'WELCOME20',
    valid: true,
    applies: null,
    percent_off: 20,
    duration: 'once',
  });
  expect(await getPromotionCode(app, { code: 'welcome20', price_ids: [price] })).toMatchObject({ applies: true });
  const other = [await billing.stripe.price()];
  expect(await getPromotionCode(app, { code: 'welcome20', price_ids: other })).toMatchObject({ applies: false });
  await expect(getPromotionCode(app, { code: 'welcome20', price_ids: ['price_no'] })).rejects.toMatchObject({
    code: 'price_not_offered',
  });
});

it('a code that is inactive or used up is not valid, and an unknown one is not found', async () => {
  const expired = await code('GONE');
  await billing.stripe.api.promotionCodes.update(expired.id, { active: false }, on());
  const price_ids = [await billing.stripe.price()];
  expect(await getPromotionCode(app, { code: 'gone', price_ids })).toMatchObject({ valid: false, applies: false });
  await code('GONE', { coupon: { percent_off: 30 } });
  expect(await getPromotionCode(app, { code: 'gone' })).toMatchObject({ valid: true, percent_off: 30 });
  await code('FIRST', { code: { restrictions: { first_time_transaction: true } } });
  expect(await getPromotionCode(app, { code: 'first' })).toMatchObject({ valid: true, first_time_only: true });
  await expect(getPromotionCode(app, { code: 'UNKNOWN' })).rejects.toMatchObject({ code: 'not_found' });
  const otherTenant = asApplication(billing.services, await makeTenant(billing.services));
  await expect(getPromotionCode(otherTenant, { code: 'FIRST' })).rejects.toMatchObject({
    code: 'integration_not_connected',
  });
});

it('only the caller who guesses codes is throttled, and valid codes do not count', async () => {
  const { services, tenant } = billing;
  await code('RIGHT');
  const patient = asPatient(services, tenant, await billing.patient());
  for (let n = 0; n < 15; n++) expect((await getPromotionCode(patient, { code: 'RIGHT' })).valid).toBe(true);
  for (let n = 0; n < 10; n++)
    await expect(getPromotionCode(patient, { code: `GUESS${n}` })).rejects.toMatchObject({ code: 'not_found' });
  await expect(getPromotionCode(patient, { code: 'RIGHT' })).rejects.toMatchObject({ code: 'rate_limited' });
  const other = asPatient(services, tenant, await billing.patient());
  expect((await getPromotionCode(other, { code: 'RIGHT' })).valid).toBe(true);
});
