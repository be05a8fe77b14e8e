import type { StripeState } from '#emulators/stripe/index.ts';
import type { Context } from '#server/core/context.ts';
import { archivePlan, unarchivePlan } from '#server/plans/archive-plan.ts';
import { changePrice } from '#server/plans/change-price.ts';
import { createPlan } from '#server/plans/create-plan.ts';
import { createPromotionCode } from '#server/plans/create-promotion-code.ts';
import { listAllPlans } from '#server/plans/list-all-plans.ts';
import {
  archivePromotionCode,
  listPromotionCodes,
  unarchivePromotionCode,
} from '#server/plans/list-promotion-codes.ts';
import { updatePlan } from '#server/plans/update-plan.ts';

const recurring = { interval: 'month' as const, interval_count: 1 };

async function targetOf(ctx: Context, price_id: string) {
  const { items } = await listAllPlans(ctx);
  return { price_id, version: items.find((plan) => plan.price_id === price_id)?.version ?? '' };
}

/** Use cases that change the catalogue; each may be repeated. `name`: of the product, or the code's text. */
export const CATALOGUE_SCENARIOS: Record<
  string,
  (name: string, request_id: string) => (ctx: Context) => Promise<void>
> = {
  'a plan, its details and another price': (name, request_id) => async (ctx) => {
    const details = { name, nickname: 'Monthly', trial_period_in_days: 7 };
    const terms = { unit_amount: 4900, currency: 'usd', recurring };
    const { price_id } = await createPlan(ctx, { request_id, ...details, description: null, ...terms });
    await updatePlan(ctx, { ...(await targetOf(ctx, price_id)), ...details, description: 'Two calls a month.' });
    await changePrice(ctx, { ...(await targetOf(ctx, price_id)), ...terms, unit_amount: 5900 });
  },
  'a plan that is archived and offered again': (name, request_id) => async (ctx) => {
    const details = { name, nickname: null, description: null, trial_period_in_days: null };
    const terms = { unit_amount: 4900, currency: 'usd', recurring };
    const { price_id } = await createPlan(ctx, { request_id, ...details, ...terms });
    await archivePlan(ctx, { price_id });
    await unarchivePlan(ctx, { price_id });
  },
  'a promotion code that is archived and valid again': (code, request_id) => async (ctx) => {
    const { id } = await createPromotionCode(ctx, {
      ...{ request_id, code, discount: { kind: 'percent', percent_off: 20 }, duration: { kind: 'once' } },
      ...{ products: [], max_redemptions: 5, last_day: null, first_time_only: false },
    });
    await archivePromotionCode(ctx, { id });
    await unarchivePromotionCode(ctx, { id });
    await listPromotionCodes(ctx);
  },
};

/** What exists at Stripe under that name. */
export function catalogueAtStripe({ objects }: StripeState['accounts'][string], name: string) {
  const products = Object.values(objects.product).filter((product) => product.name === name);
  const codes = Object.values(objects.promotion_code).filter(({ code }) => code === name);
  return {
    products: products.map(({ active, description }) => [active, description]),
    prices: Object.values(objects.price)
      .filter(({ product }) => products.some(({ id }) => id === product))
      .map(({ active, nickname, unit_amount, metadata }) => [
        active,
        nickname,
        unit_amount,
        Object.keys(metadata).length,
      ]),
    codes: codes.map(({ active }) => active),
  };
}
