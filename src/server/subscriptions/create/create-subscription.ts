import type { CreateSubscriptionInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { Patient } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { askedBy } from '#server/core/same-request.ts';
import { ensureCustomer, noteDeletedCustomer } from '#server/customers/customer.ts';
import { retryReplayedFailure } from '#server/customers/retry-replayed-failure.ts';
import { getStripeAccount } from '#server/integrations/get-stripe-account.ts';
import { assertInCare } from '#server/patients/in-care.ts';
import { loadPatientFor } from '#server/patients/load-patient.ts';
import { type ProcessorSubscription, type Retry, StripeRefusal, stripeOf } from '#server/providers/stripe.ts';
import { loadSubscription, maySeeSecrets, presentSubscription } from '../records/subscription.ts';
import { findIntent, finishIntent, INTENT_KEY, type Intent, openIntent, reopenIntent } from './intent.ts';
import { planSubscription, promotionInvalid } from './plan-subscription.ts';

/**
 * Subscribes a patient: `incomplete` until the first payment, or `trialing` until a card is saved and the trial over.
 * The same Idempotency-Key is the same subscription, also after an answer that got lost; so is an equal request without
 * a key, for ten minutes.
 */
export async function createSubscription(ctx: Context, input: CreateSubscriptionInput): Promise<SubscriptionView> {
  requireScope(ctx.actor, 'subscriptions:write');
  const patient = await loadPatientFor(ctx, input.patient_id);
  assertInCare(patient);
  const asked = askedBy(ctx, 'subscriptions.create', input);
  const earlier = await findIntent(ctx, asked);
  const { intent, isNew } = earlier
    ? { intent: await reopenIntent(ctx, earlier), isNew: false }
    : await begin(ctx, input, asked);
  if (!isNew) ctx.onReplay();
  const live = await carryOutIntent(ctx, intent, patient, isNew);
  const row = await loadSubscription(ctx, live.id);
  return presentSubscription(ctx, row, maySeeSecrets(ctx.actor, row) ? live : null);
}

async function begin(ctx: Context, input: CreateSubscriptionInput, asked: string) {
  const accountId = await getStripeAccount(ctx);
  return openIntent(ctx, accountId, { plan: await planSubscription(ctx, accountId, input), asked });
}

/**
 * Makes the subscription at the processor, once however often it is called: the idempotency key is the intent's, and
 * an intent that was tried before is looked up first. A failure whose outcome is unknown leaves the intent pending.
 */
async function carryOutIntent(
  ctx: Context,
  intent: Intent,
  patient: Patient,
  isNew: boolean,
): Promise<ProcessorSubscription> {
  const stripe = stripeOf(ctx);
  const { accountId, params: plan } = intent;
  let customerId = await ensureCustomer(ctx, patient, accountId);
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
  const make = () => retryReplayedFailure(`carelane-subscription-${intent.id}`, create, lookUp);
  /** Its customer may have been deleted at Stripe without our having heard of it. */
  const makeAnew = async (error: unknown) => {
    if (!(error instanceof StripeRefusal) || error.param !== 'customer' || error.reason !== 'resource_missing')
      throw error;
    await noteDeletedCustomer(ctx, accountId, customerId);
    customerId = await ensureCustomer(ctx, patient, accountId);
    return retryReplayedFailure(`carelane-subscription-${intent.id}-${customerId}`, create, lookUp);
  };
  try {
    const made = (isNew ? null : await lookUp()) ?? (await make().catch(makeAnew));
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
