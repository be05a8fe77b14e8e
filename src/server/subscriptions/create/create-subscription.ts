import type { CreateSubscriptionInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { Patient } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { askedBy } from '#server/core/same-request.ts';
import { getStripeAccount } from '#server/integrations/get-stripe-account.ts';
import { assertInCare } from '#server/patients/in-care.ts';
import { loadPatientFor } from '#server/patients/load-patient.ts';
import {
  type ProcessorSubscription,
  type Retry,
  StripeFailure,
  StripeRefusal,
  stripeOf,
} from '#server/providers/stripe.ts';
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
 * The patient's one customer at the processor. Whoever comes first makes it: the idempotency key is the patient's and
 * the account's, the parameters never vary, and the row is unique, so any number of simultaneous calls end with one.
 */
async function ensureCustomer(ctx: Context, patient: Patient, accountId: string): Promise<string> {
  const id = { tenantId: ctx.tenantId, patientId: patient.id, accountId };
  const known = await ctx.db.processorCustomer.findFirst({ where: id });
  if (known) return known.customerId;
  const stripe = stripeOf(ctx);
  const made = await retryReplayedFailure(`carelane-customer-${patient.id}-${accountId}`, (key) =>
    stripe.createCustomer(accountId, patient.id, key),
  );
  const { count } = await ctx.db.processorCustomer.createMany({
    data: [{ ...id, customerId: made.id }],
    skipDuplicates: true,
  });
  if (count > 0) await nameCustomer(ctx, patient, accountId, made.id);
  const { customerId } = await ctx.db.processorCustomer.findFirstOrThrow({ where: id });
  return customerId;
}

/** Name and address for receipts; without them everything else works. */
async function nameCustomer(ctx: Context, patient: Patient, accountId: string, customerId: string): Promise<void> {
  const name = [patient.firstName, patient.lastName].filter(Boolean).join(' ') || null;
  try {
    await stripeOf(ctx).updateCustomer(accountId, customerId, { email: patient.email, name });
  } catch (error) {
    ctx.log.warn({ customerId, err: (error as Error).message }, 'the customer has no name at the processor yet');
  }
}

const MAX_KEYS = 5;

/**
 * Stripe keeps the first answer to an idempotency key for a day, even a failure of its own ("Idempotent requests"). A
 * replayed failure therefore moves on to the next key; `settled` looks first whether the failed call had its effect
 * after all.
 */
async function retryReplayedFailure<T>(
  key: string,
  call: (key: string) => Promise<T>,
  settled: () => Promise<T | null> = async () => null,
): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await call(n === 1 ? key : `${key}-${n}`);
    } catch (error) {
      if (!(error instanceof StripeFailure) || !error.replayed || n === MAX_KEYS) throw error;
      const effect = await settled();
      if (effect !== null) return effect;
    }
  }
}
