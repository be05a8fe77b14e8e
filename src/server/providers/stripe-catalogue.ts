import type Stripe from 'stripe';
import { z } from 'zod';
import type { ProviderContext } from '../core/context.ts';
import { createStripeCall } from './stripe-call.ts';
import * as shapes from './stripe-shapes.ts';

const PAGE = 100;
const MAX_PAGES = 20;
const CODE = { expand: ['promotion.coupon.applies_to'] };

type Page<T extends { id: string }> = { data: T[]; has_more: boolean };
type Terms = { currency: string; unit_amount: number; recurring: shapes.Recurring; metadata: Record<string, string> };
type NewPrice = Terms & { product: string } & Record<'nickname' | 'tax_behavior' | 'lookup_key', string | null>;
type NewCoupon = Pick<
  Stripe.CouponCreateParams,
  'name' | 'percent_off' | 'amount_off' | 'currency' | 'duration' | 'duration_in_months' | 'applies_to'
>;
type NewCode = { code: string | null; coupon: string; expiresAt: Date | null } & {
  maxRedemptions: number | null;
  firstTimeOnly: boolean;
};

const Identified = z.object({ id: z.string() });

/**
 * Products, prices and promotion codes of an account, for those who change them. Updates set values and are idempotent;
 * what is created has a key.
 */
export function stripeCatalogueOf({ config, providers, keyed, pace }: ProviderContext, stripeAccount: string) {
  const stripe = providers.stripe();
  const read = createStripeCall({ config, keyed, pace });
  const on = { stripeAccount };

  async function everyPage<T extends { id: string }>(page: (after: string | undefined) => Promise<Page<T>>) {
    const all: T[] = [];
    for (let n = 0; n < MAX_PAGES; n++) {
      const { data, has_more } = await page(all.at(-1)?.id);
      all.push(...data);
      if (!has_more || data.length === 0) break;
    }
    return all;
  }
  const after = (id: string | undefined) => (id === undefined ? {} : { starting_after: id });

  return {
    /** All recurring prices with their products, archived ones too; of one product if given. */
    prices: (product?: string): Promise<shapes.Price[]> =>
      everyPage((last) =>
        read(shapes.PriceList, () =>
          stripe.prices.list(
            {
              type: 'recurring',
              limit: PAGE,
              expand: ['data.product'],
              ...(product !== undefined && { product }),
              ...after(last),
            },
            on,
          ),
        ),
      ),

    createProduct: (
      { name, description }: { name: string; description: string | null },
      idempotencyKey: string,
    ): Promise<{ id: string }> =>
      read(Identified, () =>
        stripe.products.create({ name, ...(description !== null && { description }) }, { ...on, idempotencyKey }),
      ),

    /** Takes its lookup key from the price that has it. */
    createPrice: (
      { nickname, tax_behavior, lookup_key, ...price }: NewPrice,
      idempotencyKey: string,
    ): Promise<{ id: string }> =>
      read(Identified, () =>
        stripe.prices.create(
          {
            ...price,
            ...(nickname !== null && { nickname }),
            ...(tax_behavior !== null && { tax_behavior: tax_behavior as Stripe.PriceCreateParams.TaxBehavior }),
            ...(lookup_key !== null && { lookup_key, transfer_lookup_key: true }),
          },
          { ...on, idempotencyKey },
        ),
      ),

    /** An empty text unsets the description and the default price; a default price cannot be archived. */
    updateProduct: (
      id: string,
      change: Pick<Stripe.ProductUpdateParams, 'name' | 'description' | 'active' | 'default_price'>,
    ) => read(Identified, () => stripe.products.update(id, change, on)),

    /** An empty text removes the label, or a key of the metadata. */
    updatePrice: (id: string, change: Pick<Stripe.PriceUpdateParams, 'nickname' | 'active' | 'metadata'>) =>
      read(Identified, () => stripe.prices.update(id, change, on)),

    /** All promotion codes with their coupons, the newest first. */
    promotionCodes: (): Promise<shapes.PromotionCode[]> =>
      everyPage((last) =>
        read(shapes.PromotionCodeList, () =>
          stripe.promotionCodes.list({ limit: PAGE, expand: ['data.promotion.coupon.applies_to'], ...after(last) }, on),
        ),
      ),

    createCoupon: (coupon: NewCoupon, idempotencyKey: string): Promise<{ id: string }> =>
      read(Identified, () => stripe.coupons.create(coupon, { ...on, idempotencyKey })),

    createPromotionCode: (
      { code, coupon, expiresAt, maxRedemptions, firstTimeOnly }: NewCode,
      idempotencyKey: string,
    ): Promise<shapes.PromotionCode> =>
      read(shapes.PromotionCode, () =>
        stripe.promotionCodes.create(
          {
            ...CODE,
            promotion: { type: 'coupon', coupon },
            ...(code !== null && { code }),
            ...(expiresAt && { expires_at: expiresAt.getTime() / 1000 }),
            ...(maxRedemptions !== null && { max_redemptions: maxRedemptions }),
            ...(firstTimeOnly && { restrictions: { first_time_transaction: true } }),
          },
          { ...on, idempotencyKey },
        ),
      ),

    setPromotionCode: (id: string, active: boolean): Promise<shapes.PromotionCode> =>
      read(shapes.PromotionCode, () => stripe.promotionCodes.update(id, { ...CODE, active }, on)),
  };
}
