import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { CARDS, DAY, openBench, secretOf } from './test-bench.ts';

test('finds a promotion code in any case and applies its coupon', async () => {
  const bench = await openBench();
  const coupon = await bench.stripe.coupons.create({ percent_off: 25, duration: 'once' }, bench.on);
  await bench.stripe.promotionCodes.create(
    { code: 'WELCOME', promotion: { type: 'coupon', coupon: coupon.id } },
    bench.on,
  );
  const { data } = await bench.stripe.promotionCodes.list({ code: 'welcome', active: true }, bench.on);
  const started = await bench.subscribe({
    discounts: [{ promotion_code: data[0]!.id }],
    expand: ['latest_invoice.confirmation_secret', 'pending_setup_intent', 'discounts'],
  });
  expect((started.latest_invoice as Stripe.Invoice).amount_due).toBe(3675);
  expect((started.discounts[0] as Stripe.Discount).source.coupon).toBe(coupon.id);
  await bench.confirm(secretOf(started), CARDS.good);
  await bench.advance(32 * DAY);
  expect((await bench.invoicesOf(started.id))[0]!.amount_paid).toBe(4900);
});

test('a free first period is active at once and requires a card setup', async () => {
  const bench = await openBench();
  const coupon = await bench.stripe.coupons.create({ percent_off: 100, duration: 'once' }, bench.on);
  const started = await bench.subscribe({ discounts: [{ coupon: coupon.id }] });
  expect(started.status).toBe('active');
  expect(secretOf(started)).toMatch(/^seti_/);
});

test('a coupon for other products gives no discount, and expands its products on request', async () => {
  const bench = await openBench();
  const other = await bench.stripe.products.create({ name: 'Other' }, bench.on);
  const coupon = await bench.stripe.coupons.create(
    { amount_off: 1000, currency: 'usd', duration: 'forever', applies_to: { products: [other.id] } },
    bench.on,
  );
  const started = await bench.subscribe({ discounts: [{ coupon: coupon.id }] });
  expect((started.latest_invoice as Stripe.Invoice).amount_due).toBe(4900);
  await bench.stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id } }, bench.on);
  const { data } = await bench.stripe.promotionCodes.list({ expand: ['data.promotion.coupon.applies_to'] }, bench.on);
  expect(coupon).not.toHaveProperty('applies_to');
  expect((data[0]!.promotion.coupon as Stripe.Coupon).applies_to).toEqual({ products: [other.id] });
});

test('a later rejected code leaves an earlier one unredeemed', async () => {
  const bench = await openBench();
  const coupon = await bench.stripe.coupons.create({ percent_off: 10 }, bench.on);
  const promotion = { type: 'coupon', coupon: coupon.id } as const;
  const single = await bench.stripe.promotionCodes.create({ max_redemptions: 1, promotion }, bench.on);
  const inactive = await bench.stripe.promotionCodes.create({ active: false, promotion }, bench.on);
  const discounts = [single, inactive].map(({ id }) => ({ promotion_code: id }));
  await expect(bench.subscribe({ discounts })).rejects.toMatchObject({ param: 'discounts[1][promotion_code]' });
  expect((await bench.stripe.promotionCodes.retrieve(single.id, {}, bench.on)).times_redeemed).toBe(0);
  expect((await bench.stripe.coupons.retrieve(coupon.id, {}, bench.on)).times_redeemed).toBe(0);
  expect(bench.emulator.world.state.accounts[bench.account]!.objects.discount).toEqual({});
  expect((await bench.subscribe({ discounts: discounts.slice(0, 1) })).discounts).toHaveLength(1);
});

test('rejects a code whose minimum amount is in another currency', async () => {
  const bench = await openBench();
  const coupon = await bench.stripe.coupons.create({ percent_off: 10 }, bench.on);
  const promotion = { type: 'coupon', coupon: coupon.id } as const;
  const applyWithMinimum = async (minimum_amount: number, minimum_amount_currency: string) => {
    const restrictions = { minimum_amount, minimum_amount_currency };
    const { id } = await bench.stripe.promotionCodes.create({ promotion, restrictions }, bench.on);
    const started = bench.subscribe({ discounts: [{ promotion_code: id }] });
    return started.then(
      () => true,
      ({ param }: Stripe.errors.StripeError) => param,
    );
  };
  expect(await applyWithMinimum(4900, 'usd')).toBe(true);
  for (const [amount, currency] of [
    [4901, 'usd'],
    [100, 'eur'],
  ] as const)
    expect(await applyWithMinimum(amount, currency)).toBe('discounts[0][promotion_code]');
});

test('rejects codes that are inactive, used up or expired', async () => {
  const bench = await openBench();
  const coupon = await bench.stripe.coupons.create({ percent_off: 10, duration: 'forever' }, bench.on);
  const promotion = { type: 'coupon', coupon: coupon.id } as const;
  const tomorrow = Math.floor(Date.now() / 1000) + DAY;
  const inactive = await bench.stripe.promotionCodes.create({ code: 'OFF', active: false, promotion }, bench.on);
  const single = await bench.stripe.promotionCodes.create({ code: 'ONE', max_redemptions: 1, promotion }, bench.on);
  const expiring = await bench.stripe.promotionCodes.create(
    { code: 'SOON', expires_at: tomorrow, promotion },
    bench.on,
  );
  await bench.subscribe({ discounts: [{ promotion_code: single.id }] });
  await bench.advance(2 * DAY);
  for (const { id } of [inactive, single, expiring]) {
    await expect(bench.subscribe({ discounts: [{ promotion_code: id }] })).rejects.toMatchObject({ statusCode: 400 });
  }
  expect((await bench.stripe.promotionCodes.list({ active: true }, bench.on)).data).toEqual([]);
});
