import type { CreateSubscriptionInput, SubscriptionView } from '#contract/subscriptions.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { askedBy } from '#server/core/same-request.ts';
import { getStripeAccount } from '#server/integrations/get-stripe-account.ts';
import { assertInCare } from '#server/patients/assert-in-care.ts';
import { loadPatientFor } from '#server/patients/load-patient.ts';
import { loadSubscription } from '../records/load-subscription.ts';
import { maySeeSecrets } from '../records/policy.ts';
import { presentSubscription } from '../records/present-subscription.ts';
import { carryOutIntent } from './carry-out-intent.ts';
import { findIntent, openIntent, reopenIntent } from './open-intent.ts';
import { planSubscription } from './plan-subscription.ts';

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
