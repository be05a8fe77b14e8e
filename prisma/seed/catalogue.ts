import Stripe from 'stripe';
import type { Context } from '#server/core/context.ts';
import { PLANS } from './clinic.ts';

/** Creates products and prices on the tenant's connected account, as its owner would in Stripe's dashboard. */
export async function createCatalogue(ctx: Context): Promise<void> {
  const { accountId } = await ctx.db.integration.findFirstOrThrow({ where: { provider: 'stripe' } });
  const { hostname, port, protocol } = new URL(ctx.config.stripe.apiUrl);
  const stripe = new Stripe(ctx.config.stripe.secretKey, {
    host: hostname,
    ...(port && { port }),
    protocol: protocol === 'http:' ? 'http' : 'https',
    telemetry: false,
  });
  for (const [index, { name, description, unit_amount, interval, metadata }] of PLANS.entries()) {
    const options = (kind: string) => ({
      stripeAccount: accountId ?? '',
      idempotencyKey: `seed-${ctx.tenantId}-${kind}-${index}`,
    });
    const product = await stripe.products.create({ name, description }, options('product'));
    await stripe.prices.create(
      { product: product.id, currency: 'usd', unit_amount, recurring: { interval }, metadata },
      options('price'),
    );
  }
  const on = (kind: string) => ({ stripeAccount: accountId ?? '', idempotencyKey: `seed-${ctx.tenantId}-${kind}` });
  const coupon = await stripe.coupons.create({ percent_off: 20, duration: 'once' }, on('coupon'));
  const promotion = { type: 'coupon' as const, coupon: coupon.id };
  await stripe.promotionCodes.create({ code: 'WELCOME20', promotion }, on('promotion-code'));
}
