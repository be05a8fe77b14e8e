import type { CreateSubscriptionInput, PlanView } from '#contract/subscriptions.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { getBillingSettings } from '#server/integrations/index.ts';
import {
  appliesTo,
  duplicateError,
  findPromotion,
  findUsedTrials,
  getOfferedPlans,
  isAvailableTo,
  trialClaimOf,
} from '#server/plans/index.ts';
import type { StripeSubscription } from '#server/providers/stripe.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import { assertDistinctPrices, assertSameBilling, hasEnded, nextActionOf } from '../records/subscription.ts';
import { requestChange, syncSubscription } from '../sync/sync-subscription.ts';
import { type Blocking, billOf, type IntentPlan, isBillVoid, type OpenedIntent } from './intent.ts';

/** Validates the request against the offered prices and returns the plan. */
export async function planSubscription(
  ctx: Context,
  accountId: string,
  input: CreateSubscriptionInput,
): Promise<IntentPlan> {
  assertDistinctPrices(input.price_ids);
  assertCouponAllowed(ctx, input);
  const plans = await getOfferedPlans(ctx, accountId, input.price_ids);
  assertSameBilling(plans);
  const settings = await getBillingSettings(ctx.db, ctx.tenantId);
  const trialOwner = { accountId, patientId: input.patient_id };
  const usedTrials = settings.trial_once ? await findUsedTrials(ctx, trialOwner, plans) : new Set();
  // Each price brings its own trial, except for products whose trial was used.
  const trials = plans.map((plan) => (usedTrials.has(plan.product) ? 0 : (plan.trial_period_in_days ?? 0)));
  const trialDays = Math.max(...trials) || null;
  const promotionCodeId = await promotionFor(ctx, accountId, input, plans);
  return {
    wish: wishOf(input),
    trialDays,
    ...(trialDays !== null && { trialEnd: settings.trial_end, ...trialClaimOf(plans, trials, settings.trial_once) }),
    promotionCodeId,
    cancelAfter: input.cancel_at_period_end ? (trialDays === null ? 'period' : 'trial') : 'never',
    createdByClientId: creatorOf(ctx),
    allowDuplicate: input.allow_duplicate ?? false,
  };
}

const wishOf = (input: CreateSubscriptionInput): IntentPlan['wish'] => ({
  patientId: input.patient_id,
  priceIds: input.price_ids,
  cancelAtPeriodEnd: input.cancel_at_period_end ?? false,
  promotionCode: input.promotion_code ?? null,
  coupon: input.coupon ?? null,
  allowPromotionCodes: input.allow_promotion_codes ?? false,
});

function assertCouponAllowed({ actor }: Context, { coupon, promotion_code }: CreateSubscriptionInput): void {
  if (!coupon) return;
  const source = { pointer: '/coupon' };
  if (actor.kind === 'patient')
    throw apiError('forbidden', 'A patient may give a promotion code, not a coupon.', { source });
  if (promotion_code) throw apiError('invalid_parameter', 'Give a coupon or a promotion code, not both.', { source });
}

/** The application behind the request, which may read the client secrets later. */
function creatorOf({ actor }: Context): string | null {
  if (actor.kind === 'application') return actor.clientId;
  return actor.kind === 'patient' ? actor.impersonatedBy : null;
}

/** Returns the id of the code at Stripe; null when it does not apply to these plans, which is no error. */
async function promotionFor(
  ctx: Context,
  accountId: string,
  { promotion_code, patient_id: patientId }: CreateSubscriptionInput,
  plans: PlanView[],
): Promise<string | null> {
  if (!promotion_code) return null;
  const promotion = await findPromotion(ctx, accountId, promotion_code);
  if (!promotion?.active) throw promotionInvalid();
  if (!appliesTo(promotion, plans)) return null;
  // Checked before anything is ended for a subscription that Stripe would reject.
  if (!(await isAvailableTo(ctx, promotion, { accountId, patientId }))) throw promotionInvalid();
  return promotion.id;
}

export const promotionInvalid = () =>
  apiError('promotion_code_invalid', 'This promotion code is unknown or no longer valid.', {
    source: { pointer: '/promotion_code' },
  });

/** Each round ends one incomplete subscription. */
const MAX_ROUNDS = 10;

/**
 * Opens the intent once no other subscription blocks it. The blocking one is read from Stripe first: it may have been
 * paid or have ended since.
 */
export async function resolveBlocking<Open extends OpenedIntent | null>(
  ctx: Context,
  open: () => Promise<Open>,
  { reusesEqual = true } = {},
): Promise<Exclude<Open, Blocking> | { live: StripeSubscription }> {
  for (let round = 1; ; round++) {
    const opened = await open();
    if (opened === null || !('subscription' in opened)) return opened as Exclude<Open, Blocking>;
    const { row, live } = await syncSubscription(ctx, opened.subscription.id);
    if (hasEnded(row)) {
      if (round < MAX_ROUNDS) continue;
    } else if (live && row.status === 'incomplete') {
      if (opened.isSame && reusesEqual && !isBillVoid(row)) return { live };
      if (round < MAX_ROUNDS && isUnpaid(row)) {
        await endIncomplete(ctx, row);
        continue;
      }
    }
    throw duplicateError(row);
  }
}

/**
 * True when it waits for a payment or its bill is void. A payment in progress, such as a bank debit, does not count.
 */
const isUnpaid = (row: Subscription): boolean => nextActionOf(row) === 'payment' || isBillVoid(row);

/**
 * Ends an incomplete subscription so that the patient does not pay for both. Its bill is voided first: canceling would
 * also end a subscription that was just paid, while Stripe does not void a paid bill.
 */
async function endIncomplete(ctx: Context, row: Subscription): Promise<void> {
  const { id, accountId } = row;
  const bill = billOf(row);
  const stripe = ctx.providers.stripeClient(ctx);
  const request = {
    action: 'subscriptions.cancel' as const,
    details: { at: 'now', replaced: true },
    facts: ['endedAt' as const],
  };
  const end = async () => {
    if (bill?.status === 'open') await stripe.voidInvoice(accountId, bill.id);
    await stripe.cancelNow(accountId, id);
  };
  try {
    const cause = await requestChange(ctx, id, request, end);
    await syncSubscription(ctx, id, cause);
  } catch (error) {
    // Paid, or voided by another request, since it was read: the next round reads it again.
    if (!(error instanceof StripeRejection) || nextActionOf((await syncSubscription(ctx, id)).row) === 'payment')
      throw error;
  }
}
