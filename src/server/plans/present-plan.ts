import type { PlanView } from '#contract/subscriptions.ts';
import { trialDays } from '#server/integrations/trial-days.ts';
import type { Price } from '#server/providers/stripe.ts';

export const presentPlan = (price: Price): PlanView => ({
  id: price.id,
  price_id: price.id,
  active: price.active,
  nickname: price.nickname ?? null,
  name: price.product.name,
  description: price.product.description ?? null,
  images: price.product.images,
  product: price.product.id,
  currency: price.currency,
  unit_amount: price.unit_amount ?? null,
  unit_amount_decimal: price.unit_amount_decimal,
  type: price.type,
  recurring: price.recurring ?? null,
  trial_period_in_days: trialDays(price.metadata).days,
  metadata: price.metadata,
});
