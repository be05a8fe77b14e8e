import type { Patient } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { type ProcessorSubscription, type Retry, StripeRefusal, stripeOf } from '#server/providers/stripe.ts';
import { addIntervals } from './add-intervals.ts';
import { adoptSubscription } from './adopt-subscription.ts';
import { ensureCustomer } from './ensure-customer.ts';
import { promotionInvalid } from './find-promotion.ts';
import type { Intent } from './open-intent.ts';
import { retryReplayedFailure } from './retry-replayed-failure.ts';
import { syncSubscription } from './sync-subscription.ts';

/** The key in the processor's metadata that names our intent. */
export const INTENT_KEY = 'carelane_intent';

/**
 * Makes the subscription at the processor, once however often it is called: the idempotency key is the intent's, and
 * an intent that was tried before is looked up first. A failure whose outcome is unknown leaves the intent pending.
 */
export async function carryOutIntent(
  ctx: Context,
  intent: Intent,
  patient: Patient,
  isNew: boolean,
): Promise<ProcessorSubscription> {
  const stripe = stripeOf(ctx);
  const { accountId, params: plan } = intent;
  const customerId = await ensureCustomer(ctx, patient, accountId);
  const lookUp = async () => {
    const id = await stripe.findSubscription(accountId, customerId, INTENT_KEY, intent.id);
    return id === null ? null : stripe.getSubscription(accountId, id);
  };
  const create = (key: string) =>
    stripe.createSubscription(
      accountId,
      {
        customerId,
        priceIds: plan.wish.priceIds,
        trialDays: plan.trialDays,
        cancelAtPeriodEnd: plan.cancelAfter === 'period',
        promotionCodeId: plan.promotionCodeId,
        metadata: { patient_id: patient.id, [INTENT_KEY]: intent.id },
      },
      key,
      retryOf(ctx),
    );
  try {
    const made =
      (isNew ? null : await lookUp()) ??
      (await retryReplayedFailure(`carelane-subscription-${intent.id}`, create, lookUp));
    return await finishIntent(ctx, intent, made);
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    await ctx.db.subscriptionIntent.updateMany({
      where: { tenantId: ctx.tenantId, id: intent.id, status: 'pending' },
      data: { status: 'failed' },
    });
    throw inWords(error);
  }
}

const CHECKING = 'We are checking with Stripe whether the subscription was made.';

/** Without a key of the caller's, a second create is a second subscription. */
const retryOf = (ctx: Context): Retry =>
  ctx.keyed === null
    ? {
        safe: false,
        advice: "Look at the patient's subscriptions before trying again, or send an Idempotency-Key.",
        checking: CHECKING,
      }
    : { safe: true, advice: 'Try again with the same Idempotency-Key: nothing is done twice.', checking: CHECKING };

/** What changed at the processor between our check and its own. */
function inWords(error: StripeRefusal): Error {
  if (error.param.startsWith('items'))
    return refuse('price_not_offered', 'One of these prices is no longer on offer.', {
      source: { pointer: '/price_ids' },
    });
  if (error.param.startsWith('discounts') || error.reason.includes('promotion') || error.reason.includes('coupon'))
    return promotionInvalid();
  return error;
}

/**
 * The second half of an intent whose object exists: sets the end after the first paid period where it was asked for
 * (the processor's own flag would end a trial unpaid), then keeps the subscription. May be repeated.
 */
export async function finishIntent(
  ctx: Context,
  intent: Intent,
  made: ProcessorSubscription,
): Promise<ProcessorSubscription> {
  const { accountId, patientId, params: plan } = intent;
  let live = made;
  if (plan.cancelAfter === 'trial' && live.trialEnd && !live.cancelAt && intent.status !== 'done') {
    const { interval, interval_count } = live.recurring;
    const stripe = stripeOf(ctx);
    await stripe.scheduleCancel(accountId, live.id, addIntervals(live.trialEnd, interval, interval_count));
    live = await stripe.getSubscription(accountId, live.id);
  }
  const owner = { accountId, patientId, createdByClientId: plan.createdByClientId, intentId: intent.id };
  if (await adoptSubscription(ctx, live, owner)) return live;
  return (await syncSubscription(ctx, live.id)).live;
}
