import type { CheckoutSessionView, CreateCheckoutSessionInput } from '#contract/checkout-sessions.ts';
import { assertAllowedPages } from '#server/clinic/index.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { ensureCustomer, markCustomerDeleted } from '#server/customers/index.ts';
import { getStripeAccount } from '#server/integrations/index.ts';
import { assertInCare, loadPatientFor } from '#server/patients/index.ts';
import { duplicateError, expireCheckoutPages, type Purchase } from '#server/plans/index.ts';
import type { HostedCheckout } from '#server/providers/stripe-checkout.ts';
import { retryReplayedFailure, StripeRejection } from '#server/providers/stripe-errors.ts';
import { adoptSubscription } from '../sync/sync-subscription.ts';
import { findBlocking, type IntentPlan } from './intent.ts';
import { planSubscription, resolveBlocking } from './plan-subscription.ts';

/**
 * Creates a Stripe Checkout page for a patient to subscribe on. The webhook of the purchase stores the subscription.
 * Idempotent per Idempotency-Key; an earlier page that sells the same price is expired.
 */
export async function createCheckoutSession(
  ctx: Context,
  input: CreateCheckoutSessionInput,
): Promise<CheckoutSessionView> {
  requireScope(ctx.actor, 'subscriptions:write');
  const patient = await loadPatientFor(ctx, input.patient_id);
  assertInCare(patient);
  // Prevents an open redirect through the return URLs.
  await assertAllowedPages(ctx, { success_url: input.success_url, cancel_url: input.cancel_url });
  const accountId = await getStripeAccount(ctx);
  const { patient_id, price_ids, allow_duplicate } = input;
  const plan = await planSubscription(ctx, accountId, { patient_id, price_ids, allow_duplicate });
  // An incomplete subscription is ended: it is to be paid on this page now.
  await resolveBlocking(ctx, () => findBlocking(ctx, accountId, plan), { reusesEqual: false });
  const { trialOf = [] } = plan;
  const sold = allow_duplicate ? { priceIds: [], trialOf } : { priceIds: price_ids, trialOf };

  const open = async (): Promise<{ customerId: string; page: HostedCheckout | Error }> => {
    const customerId = await ensureCustomer(ctx, patient, accountId);
    const owner = { accountId, customerId, patientId: patient.id, request: ctx.keyed?.id ?? null };
    const error = await expirePages(ctx, { ...owner, ...sold });
    if (error) throw error;
    const params = {
      customerId,
      patientId: patient.id,
      priceIds: price_ids,
      trialDays: plan.trialDays,
      trialEnd: plan.trialEnd,
      successUrl: input.success_url,
      cancelUrl: input.cancel_url,
      allowPromotionCodes: input.allow_promotion_codes ?? false,
      clientReferenceId: input.client_reference_id ?? null,
      request: ctx.keyed?.id ?? null,
    };
    const key = ctx.keyed && `carelane-checkout-${ctx.keyed.id}-${customerId}`;
    const openPage = (one: string | null) => ctx.providers.stripeClient(ctx).checkout.open(accountId, params, one);
    const opened = key ? retryReplayedFailure(key, openPage) : openPage(null);
    return { customerId, page: await opened.catch((error: unknown) => error as Error) };
  };
  let { customerId, page } = await open();
  // The customer may have been deleted at Stripe without a webhook.
  if (page instanceof StripeRejection && page.param === 'customer' && page.reason === 'resource_missing') {
    await markCustomerDeleted(ctx, accountId, customerId);
    ({ customerId, page } = await open());
  }
  if (page instanceof Error) throw page;
  const { id } = page;
  await assertStillFree(ctx, accountId, plan, {
    // Concurrent pages see each other only now: the later one stays.
    expireOthers: () => expirePages(ctx, { accountId, customerId, patientId: patient.id, ...sold, before: id }),
    withdraw: () => ctx.providers.stripeClient(ctx).checkout.expire(accountId, id),
  });
  const view: CheckoutSessionView = {
    id: page.id,
    patient_id: patient.id,
    url: page.url,
    status: page.status,
    price_ids,
    client_reference_id: page.client_reference_id,
    expires_at: page.expires_at.toISOString(),
    created_at: page.created.toISOString(),
  };
  await ctx.db.$transaction((tx) =>
    record(tx, ctx, {
      action: 'subscriptions.create_checkout_session',
      object: { type: 'Patient', id: patient.id },
      patientId: patient.id,
      payload: view,
      isNews: true,
      details: { checkout_session_id: view.id, price_ids },
    }),
  );
  return view;
}

const expirePages = async (ctx: Context, purchase: Purchase): Promise<Error | null> =>
  purchase.priceIds.length + purchase.trialOf.length > 0 ? expireCheckoutPages(ctx, purchase, adoptSubscription) : null;

type Opened = { expireOthers: () => Promise<Error | null>; withdraw: () => Promise<unknown> };

/** Expires the page again when a subscription was started while it was being created. */
async function assertStillFree(
  ctx: Context,
  accountId: string,
  plan: IntentPlan,
  { expireOthers, withdraw }: Opened,
): Promise<void> {
  const other = await findBlocking(ctx, accountId, plan).catch((error: unknown) => error as Error);
  const error = other instanceof Error ? other : other ? duplicateError(other.subscription) : await expireOthers();
  if (!error) return;
  await withdraw();
  throw error;
}
