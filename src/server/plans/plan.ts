import type { GetPromotionCodeInput, PromotionCodeView } from '#contract/promotion-codes.ts';
import type { PlanView } from '#contract/subscriptions.ts';
import { credentialOf, requireScope } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { assertRateLimit } from '#server/core/rate-limiter.ts';
import { getStripeAccount, trialDays } from '#server/integrations/index.ts';
import type { Price, PromotionCode } from '#server/providers/stripe.ts';
import { inBody, inQuery, type PricesAt } from './duplicates.ts';

const TTL = 1 * MINUTE;
const KIND = 'plans';

type Snapshot = { accountId: string; plans: PlanView[] };

/**
 * Returns the account's plans, ordered by price, then id; cached for a minute to save calls to Stripe. `skipCache`
 * reads from Stripe. When Stripe fails, an expired cache is not used: it may hold old prices.
 */
export async function loadPlans(
  ctx: Context,
  accountId: string,
  options: { skipCache?: boolean } = {},
): Promise<PlanView[]> {
  const id = { tenantId: ctx.tenantId, provider: 'stripe', kind: KIND };
  const now = ctx.clock.now();
  if (!options.skipCache) {
    const row = await ctx.db.providerSnapshot.findFirst({ where: id });
    const cached = row?.data as Snapshot | undefined;
    if (row && cached?.accountId === accountId && Math.abs(now.getTime() - row.fetchedAt.getTime()) < TTL)
      return cached.plans;
  }
  const prices = await ctx.providers.stripeClient(ctx).listPrices(accountId);
  const plans = prices.filter(({ product, recurring }) => product.active && recurring).map(presentPlan);
  plans.sort(byPrice);
  await cache(ctx, { accountId, plans }, now);
  return plans;
}

/** Stores a snapshot unless a later one is stored: a slow read must not bring back what has been changed since. */
async function cache({ db, tenantId }: Context, data: Snapshot, fetchedAt: Date): Promise<void> {
  const id = { tenantId, provider: 'stripe', kind: KIND };
  const { count } = await db.providerSnapshot.updateMany({
    where: { ...id, fetchedAt: { lte: fetchedAt } },
    data: { data, fetchedAt },
  });
  if (count === 0) await db.providerSnapshot.createMany({ data: [{ ...id, data, fetchedAt }], skipDuplicates: true });
}

/** Makes the next read ask Stripe, in every process, whose clocks may differ a little. */
export async function invalidatePlans({ db, tenantId, clock }: Context): Promise<void> {
  await db.$executeRaw`
    insert into provider_snapshots (tenant_id, provider, kind, data, fetched_at)
    values (${tenantId}::uuid, 'stripe', ${KIND}, '{"accountId": "", "plans": []}', ${clock.now()}::timestamptz)
    on conflict (tenant_id, provider, kind) do update
      set data = excluded.data, fetched_at = greatest(provider_snapshots.fetched_at, excluded.fetched_at)`;
}

export function byPrice(a: PlanView, b: PlanView): number {
  const difference = (a.unit_amount ?? Number.MAX_SAFE_INTEGER) - (b.unit_amount ?? Number.MAX_SAFE_INTEGER);
  return difference || (a.id < b.id ? -1 : 1);
}

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
  recurring: price.recurring
    ? { interval: price.recurring.interval, interval_count: price.recurring.interval_count }
    : null,
  trial_period_in_days: trialDays(price.metadata).days,
  metadata: ownMetadata(price.metadata),
});

/** Without what a change of the price leaves. */
const ownMetadata = (metadata: Price['metadata']) =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !key.startsWith('carelane_')));

/**
 * Returns the plans of these price ids, in order. A price that is missing in the cached list may be new, so the list is
 * read again before it is rejected.
 * @throws `price_not_offered` (422) with the first missing price
 */
export async function getOfferedPlans(
  ctx: Context,
  accountId: string,
  priceIds: string[],
  at: PricesAt = inBody,
): Promise<PlanView[]> {
  const pick = (plans: PlanView[]) => priceIds.map((id) => plans.find((plan) => plan.id === id));
  let picked = pick(await loadPlans(ctx, accountId));
  if (picked.includes(undefined)) picked = pick(await loadPlans(ctx, accountId, { skipCache: true }));
  const missing = picked.indexOf(undefined);
  const missingId = priceIds[missing];
  if (missingId !== undefined)
    throw apiError('price_not_offered', `The price "${missingId.slice(0, 100)}" is not on offer.`, {
      source: at(missing),
    });
  return picked as PlanView[];
}

/**
 * Returns the promotion code with that text in any case, active or not, or null.
 * @throws `rate_limited` after too many wrong codes
 */
export async function findPromotion(ctx: Context, accountId: string, code: string): Promise<PromotionCode | null> {
  const uncount = assertRateLimit(ctx, {
    name: ctx.actor.kind === 'patient' ? 'wrong_promotion_codes' : 'wrong_promotion_codes_for_patients',
    key: [ctx.tenantId, credentialOf(ctx.actor)],
  });
  const promotion = await ctx.providers.stripeClient(ctx).findPromotionCode(accountId, code);
  if (promotion) uncount();
  return promotion;
}

/** True when a code gives a discount on these plans. */
export function appliesTo({ promotion: { coupon }, restrictions }: PromotionCode, plans: PlanView[]): boolean {
  const { currency } = plans[0]!;
  const products = coupon.applies_to?.products;
  if (products?.length && !plans.some((plan) => products.includes(plan.product))) return false;
  if (coupon.currency && coupon.currency !== currency) return false;
  const minimum = restrictions?.minimum_amount ?? 0;
  if (minimum > 0 && restrictions?.minimum_amount_currency !== currency) return false;
  return plans.reduce((sum, plan) => sum + (plan.unit_amount ?? 0), 0) >= minimum;
}

/** True when the patient has paid anything yet; codes for a first purchase are then no longer valid. */
export const hasPaid = async ({ db, tenantId }: Context, patientId: string): Promise<boolean> =>
  (await db.payment.count({ where: { tenantId, patientId, amountPaid: { gt: 0 } }, take: 1 })) > 0;

/** True when a code is open to this patient as far as known here; Stripe decides. */
export async function isAvailableTo(
  ctx: Context,
  { customer, restrictions }: PromotionCode,
  { accountId, patientId }: { accountId: string; patientId: string },
): Promise<boolean> {
  if (restrictions?.first_time_transaction && (await hasPaid(ctx, patientId))) return false;
  if (!customer) return true;
  const where = { tenantId: ctx.tenantId, patientId, accountId, customerId: customer };
  return (await ctx.db.processorCustomer.count({ where, take: 1 })) > 0;
}

/** Checked only for a patient: another caller names no patient here. */
const isOpenToCaller = async (ctx: Context, promotion: PromotionCode, accountId: string): Promise<boolean> =>
  ctx.actor.kind !== 'patient' || isAvailableTo(ctx, promotion, { accountId, patientId: ctx.actor.patientId });

/**
 * Returns a code's validity and discount, and whether it applies to the given prices.
 * @throws `not_found` for an unknown code
 */
export async function getPromotionCode(ctx: Context, input: GetPromotionCodeInput): Promise<PromotionCodeView> {
  requireScope(ctx.actor, 'subscriptions:read');
  const accountId = await getStripeAccount(ctx);
  const { price_ids } = input;
  const plans = price_ids ? await getOfferedPlans(ctx, accountId, price_ids, inQuery) : null;
  const promotionCode = await findPromotion(ctx, accountId, input.code);
  if (!promotionCode) throw notFound('promotion code');
  const { active: valid, promotion, restrictions } = promotionCode;
  const { coupon } = promotion;
  return {
    code: promotionCode.code,
    valid,
    applies: plans && valid && appliesTo(promotionCode, plans) && (await isOpenToCaller(ctx, promotionCode, accountId)),
    percent_off: coupon.percent_off ?? null,
    amount_off: coupon.amount_off ?? null,
    currency: coupon.currency ?? null,
    duration: coupon.duration ?? null,
    duration_in_months: coupon.duration_in_months ?? null,
    minimum_amount: restrictions?.minimum_amount ?? null,
    first_time_only: restrictions?.first_time_transaction ?? false,
  };
}
