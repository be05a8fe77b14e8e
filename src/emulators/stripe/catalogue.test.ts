import { expect, test } from 'vitest';
import { openBench } from './test-bench.ts';

const monthly = { unit_amount: 4900, currency: 'usd', recurring: { interval: 'month' } } as const;

test('a default price is archived only once its product has another one, or none', async () => {
  const { stripe, on } = await openBench();
  const product = await stripe.products.create({ name: 'Care plan', default_price_data: monthly }, on);
  const first = String(product.default_price);
  await expect(stripe.prices.update(first, { active: false }, on)).rejects.toMatchObject({
    message: 'This price cannot be archived because it is the default price of its product.',
    statusCode: 400,
  });
  const second = await stripe.prices.create({ product: product.id, ...monthly, tax_behavior: 'inclusive' }, on);
  expect(second.tax_behavior).toBe('inclusive');
  const moved = await stripe.products.update(product.id, { default_price: second.id }, on);
  expect(moved.default_price).toBe(second.id);
  expect(await stripe.prices.update(first, { active: false }, on)).toMatchObject({ active: false });
  expect(await stripe.products.update(product.id, { default_price: '' }, on)).toMatchObject({ default_price: null });
  expect(await stripe.prices.update(second.id, { active: false }, on)).toMatchObject({ active: false });
});

test('the default price is one of the product', async () => {
  const { stripe, on, price } = await openBench();
  const product = await stripe.products.create({ name: 'Care plan' }, on);
  await expect(stripe.products.update(product.id, { default_price: (await price()).id }, on)).rejects.toMatchObject({
    param: 'default_price',
  });
});

test('a promotion code becomes active again unless it is over, or another active one has its text', async () => {
  const { advance, stripe, on } = await openBench();
  const coupon = await stripe.coupons.create({ percent_off: 20, duration: 'once' }, on);
  const promotion = { type: 'coupon', coupon: coupon.id } as const;
  const soon = Math.floor(Date.now() / 1000) + 3600;
  const code = await stripe.promotionCodes.create({ code: 'SPRING', promotion, expires_at: soon }, on);
  await stripe.promotionCodes.update(code.id, { active: false }, on);
  const other = await stripe.promotionCodes.create({ code: 'spring', promotion }, on);
  const again = () => stripe.promotionCodes.update(code.id, { active: true }, on);
  await expect(again()).rejects.toMatchObject({ message: expect.stringContaining('already exists') });
  await stripe.promotionCodes.update(other.id, { active: false }, on);
  expect(await again()).toMatchObject({ active: true });
  await stripe.promotionCodes.update(code.id, { active: false }, on);
  await advance(7200);
  await expect(again()).rejects.toMatchObject({ message: expect.stringContaining('not redeemable') });
  const late = stripe.promotionCodes.create({ promotion, expires_at: soon }, on);
  await expect(late).rejects.toMatchObject({ param: 'expires_at' });
});
