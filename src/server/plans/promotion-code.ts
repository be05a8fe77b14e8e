import type { GetPromotionCodeInput, PromotionCodeView } from '#contract/promotion-codes.ts';
import type { PlanView } from '#contract/subscriptions.ts';
import { credentialOf, requireScope } from '#server/core/actor.ts';
import { assertRateLimit, limitKey } from '#server/core/assert-rate-limit.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { getStripeAccount } from '#server/integrations/get-stripe-account.ts';
import { type PromotionCode, stripeOf } from '#server/providers/stripe.ts';
import { getOfferedPlans, inQuery } from './plan.ts';

/** Wrong codes per caller and minute. An application calls for many patients. */
const WRONG_A_MINUTE = { patient: 10, other: 100 };

/**
 * Returns the promotion code with that text in any case, active or not, or null.
 * @throws `rate_limited` after too many wrong codes
 */
export async function findPromotion(ctx: Context, accountId: string, code: string): Promise<PromotionCode | null> {
  const key = limitKey('promotion-code', ctx.tenantId, credentialOf(ctx.actor));
  assertRateLimit(ctx, key, ctx.actor.kind === 'patient' ? WRONG_A_MINUTE.patient : WRONG_A_MINUTE.other);
  const found = await stripeOf(ctx).findPromotionCode(accountId, code);
  if (found) ctx.limits.minute.refund(key);
  return found;
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
const isOpenToCaller = async (ctx: Context, found: PromotionCode, accountId: string): Promise<boolean> =>
  ctx.actor.kind !== 'patient' || isAvailableTo(ctx, found, { accountId, patientId: ctx.actor.patientId });

/**
 * Returns a code's validity and discount, and whether it applies to the given prices.
 * @throws `not_found` for an unknown code
 */
export async function getPromotionCode(ctx: Context, input: GetPromotionCodeInput): Promise<PromotionCodeView> {
  requireScope(ctx.actor, 'subscriptions:read');
  const accountId = await getStripeAccount(ctx);
  const { price_ids } = input;
  const plans = price_ids ? await getOfferedPlans(ctx, accountId, price_ids, inQuery) : null;
  const found = await findPromotion(ctx, accountId, input.code);
  if (!found) throw notFound('promotion code');
  const { active: valid, promotion, restrictions } = found;
  const { coupon } = promotion;
  return {
    code: found.code,
    valid,
    applies: plans && valid && appliesTo(found, plans) && (await isOpenToCaller(ctx, found, accountId)),
    percent_off: coupon.percent_off ?? null,
    amount_off: coupon.amount_off ?? null,
    currency: coupon.currency ?? null,
    duration: coupon.duration ?? null,
    duration_in_months: coupon.duration_in_months ?? null,
    minimum_amount: restrictions?.minimum_amount ?? null,
    first_time_only: restrictions?.first_time_transaction ?? false,
  };
}
