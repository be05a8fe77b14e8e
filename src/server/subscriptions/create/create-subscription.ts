import type { CreateSubscriptionInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { Patient } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { requestFingerprint } from '#server/core/duplicate-request.ts';
import { apiError } from '#server/core/errors.ts';
import { ensureCustomer, markCustomerDeleted, setSavedCardAsDefault } from '#server/customers/index.ts';
import { getStripeAccount } from '#server/integrations/index.ts';
import { assertInCare, loadPatientFor } from '#server/patients/index.ts';
import { expireCheckoutPages } from '#server/plans/index.ts';
import type { StripeSubscription } from '#server/providers/stripe.ts';
import { type Retry, retryReplayedFailure, StripeRejection } from '#server/providers/stripe-errors.ts';
import { loadSubscription, maySeeSecrets, presentSubscription } from '../records/subscription.ts';
import { adoptSubscription } from '../sync/sync-subscription.ts';
import {
  bindKey,
  findIntent,
  finishIntent,
  INTENT_KEY,
  type Intent,
  type OpenedIntent,
  openIntent,
  reopenIntent,
} from './intent.ts';
import { planSubscription, promotionInvalid, resolveBlocking } from './plan-subscription.ts';

/**
 * Subscribes a patient: `incomplete` until the first payment, or `trialing` until a card is saved and the trial is
 * over. Idempotent per Idempotency-Key, also after a lost response; without a key an equal request within ten minutes
 * returns the same subscription. An equal incomplete subscription is returned again; a different one is ended, and so
 * is an open Stripe page that sells the same price.
 * @throws `conflict` (409) when the patient has one of the prices already, unless `allow_duplicate` is set
 */
export async function createSubscription(ctx: Context, input: CreateSubscriptionInput): Promise<SubscriptionView> {
  requireScope(ctx.actor, 'subscriptions:write');
  const patient = await loadPatientFor(ctx, input.patient_id);
  assertInCare(patient);
  const fingerprint = requestFingerprint(ctx, 'subscriptions.create', input);
  const earlier = await findIntent(ctx, fingerprint);
  const opened = await resolveBlocking(
    ctx,
    earlier ? () => reopenIntent(ctx, earlier) : await prepareIntent(ctx, input, fingerprint),
  );
  // A subscription made by another request is no replay of this one.
  if ('intent' in opened && !opened.isNew) ctx.onReplay();
  const live = 'live' in opened ? opened.live : await executeIntent(ctx, opened.intent, patient, opened.isNew);
  const row = await loadSubscription(ctx, live.id);
  if ('live' in opened) await bindKey(ctx, row, fingerprint);
  // An application that gets an existing incomplete subscription could have created another: it may see the secret too.
  const showsSecret = ctx.actor.kind === 'application' || maySeeSecrets(ctx.actor, row);
  return presentSubscription(ctx, row, showsSecret ? live : null);
}

async function prepareIntent(
  ctx: Context,
  input: CreateSubscriptionInput,
  fingerprint: string,
): Promise<() => Promise<OpenedIntent>> {
  const accountId = await getStripeAccount(ctx);
  const plan = await planSubscription(ctx, accountId, input);
  return () => openIntent(ctx, accountId, { plan, fingerprint });
}

/**
 * Creates the subscription at Stripe, once for any number of calls: the idempotency key is the intent's, and an intent
 * that was attempted before is looked up first. A failure with unknown outcome leaves the intent pending.
 */
async function executeIntent(
  ctx: Context,
  intent: Intent,
  patient: Patient,
  isNew: boolean,
): Promise<StripeSubscription> {
  const stripe = ctx.providers.stripeClient(ctx);
  const { accountId, params: plan } = intent;
  const ownCustomer = { tenantId: ctx.tenantId, patientId: patient.id, accountId, deletedAt: null };
  const isCustomer = (await ctx.db.processorCustomer.count({ where: ownCustomer })) > 0;
  let customerId = await ensureCustomer(ctx, patient, accountId);
  const lookUp = async () => {
    if (intent.subscriptionId) return stripe.getSubscription(accountId, intent.subscriptionId);
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
        trialEnd: plan.trialEnd,
        cancelAtPeriodEnd: plan.cancelAfter === 'period',
        promotionCodeId: plan.promotionCodeId,
        coupon: plan.wish.coupon,
        metadata: { patient_id: patient.id, [INTENT_KEY]: intent.id },
      },
      key,
      retryOf(ctx),
    );
  const createOnce = () => retryReplayedFailure(`carelane-subscription-${intent.id}`, create, lookUp);
  /** The customer may have been deleted at Stripe without a webhook. */
  const createWithNewCustomer = async (error: unknown) => {
    if (!(error instanceof StripeRejection) || error.param !== 'customer' || error.reason !== 'resource_missing')
      throw error;
    await markCustomerDeleted(ctx, accountId, customerId);
    customerId = await ensureCustomer(ctx, patient, accountId);
    return retryReplayedFailure(`carelane-subscription-${intent.id}-${customerId}`, create, lookUp);
  };
  try {
    const existing = isNew ? null : await lookUp();
    if (existing) return await finishIntent(ctx, intent, existing);
    const { priceIds } = plan.wish;
    const owner = { accountId, customerId, patientId: patient.id };
    const { trialOf = [] } = plan;
    const purchase = { ...owner, priceIds: plan.allowDuplicate ? [] : priceIds, trialOf };
    const mayHavePages = isCustomer && purchase.priceIds.length + trialOf.length > 0;
    const conflict = mayHavePages ? await expireCheckoutPages(ctx, purchase, adoptSubscription) : null;
    if (conflict) {
      await failIntent(ctx, intent);
      throw conflict;
    }
    if (plan.trialDays !== null) await setSavedCardAsDefault(ctx, owner);
    return await finishIntent(ctx, intent, await createOnce().catch(createWithNewCustomer));
  } catch (error) {
    if (!(error instanceof StripeRejection)) throw error;
    await failIntent(ctx, intent);
    throw toApiError(error, plan.wish);
  }
}

const failIntent = ({ db, tenantId }: Context, { id }: Intent) =>
  db.subscriptionIntent.updateMany({ where: { tenantId, id, status: 'pending' }, data: { status: 'failed' } });

const CHECKING_MESSAGE = 'We are checking with Stripe whether the subscription was made.';

/** Without an Idempotency-Key a second create would make a second subscription. */
const retryOf = (ctx: Context): Retry =>
  ctx.keyed === null
    ? {
        safe: false,
        advice: "Look at the patient's subscriptions before trying again, or send an Idempotency-Key.",
        checking: CHECKING_MESSAGE,
      }
    : {
        safe: true,
        advice: 'Try again with the same Idempotency-Key: nothing is done twice.',
        checking: CHECKING_MESSAGE,
      };

/** Maps errors caused by changes at Stripe since the request was validated. */
function toApiError(error: StripeRejection, { coupon }: Intent['params']['wish']): Error {
  if (error.param.startsWith('items'))
    return apiError('price_not_offered', 'One of these prices is no longer on offer.', {
      source: { pointer: '/price_ids' },
    });
  if (coupon && (error.param.startsWith('discounts') || error.reason.includes('coupon')))
    return apiError('invalid_parameter', 'This coupon is unknown, no longer valid, or of another currency.', {
      source: { pointer: '/coupon' },
    });
  if (error.param.startsWith('discounts') || error.reason.includes('promotion') || error.reason.includes('coupon'))
    return promotionInvalid();
  return error;
}
