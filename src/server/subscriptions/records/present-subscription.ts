import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { ProcessorSubscription } from '#server/providers/stripe.ts';
import { nextAction } from './next-action.ts';
import type { Facts } from './subscription-columns.ts';

const instant = (value: Date | null): string | null => value?.toISOString() ?? null;

/** `live` is the processor's object, read just now: given only where the caller may have the client secrets in it. */
export function presentSubscription(
  { config }: Pick<Context, 'config'>,
  row: Subscription,
  live: ProcessorSubscription | null = null,
): SubscriptionView {
  const items = row.items as Facts['items'];
  const invoice = row.latestInvoice as Facts['latestInvoice'];
  const setup = row.pendingSetupIntent as Facts['pendingSetupIntent'];
  const next_action = nextActionOf(row);
  const paymentSecret = next_action === 'payment' ? live?.latestInvoice?.paymentIntent?.clientSecret : null;
  const setupSecret = next_action === 'setup' ? live?.pendingSetupIntent?.clientSecret : null;
  return {
    id: row.id,
    stripe_subscription_id: row.id,
    patient_id: row.patientId,
    status: row.status as SubscriptionView['status'],
    price_ids: items.map(({ price_id }) => price_id),
    items: items.map(({ id, price_id, quantity }) => ({ id, price_id, quantity })),
    name: row.name,
    plan_price: row.planPrice === null ? null : Number(row.planPrice),
    currency: row.currency,
    billing_period: row.billingPeriod,
    billing_interval: row.billingInterval,
    cancel_at_period_end: row.cancelAtPeriodEnd,
    cancel_at: instant(row.cancelAt),
    canceled_at: instant(row.canceledAt),
    ended_at: instant(row.endedAt),
    current_period_start: instant(row.currentPeriodStart),
    current_period_end: instant(row.currentPeriodEnd),
    trial_start: instant(row.trialStart),
    trial_end: instant(row.trialEnd),
    upcoming_invoice_date: instant(upcomingInvoiceAt(row)),
    discount: row.discount as Facts['discount'],
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    latest_invoice: invoice && {
      id: invoice.id,
      status: invoice.status,
      amount_due: invoice.amount_due,
      currency: invoice.currency,
      payment_intent: invoice.payment_intent && {
        id: invoice.payment_intent.id,
        status: invoice.payment_intent.status,
        ...(paymentSecret && { client_secret: paymentSecret }),
      },
    },
    pending_setup_intent: setup && {
      id: setup.id,
      status: setup.status,
      ...(setupSecret && { client_secret: setupSecret }),
    },
    next_action,
    payment_client: { publishable_key: config.stripe.publishableKey, account_id: row.accountId },
  };
}

/** What the patient has to do, by our copy. */
export const nextActionOf = (row: Subscription): SubscriptionView['next_action'] =>
  nextAction({
    status: row.status,
    latestInvoice: row.latestInvoice as Facts['latestInvoice'],
    pendingSetupIntent: row.pendingSetupIntent as Facts['pendingSetupIntent'],
  });

/** The end of the running period, unless the subscription ends by then or is not running. */
function upcomingInvoiceAt(row: Subscription): Date | null {
  const { status, currentPeriodEnd, cancelAt } = row;
  if (!currentPeriodEnd || !['active', 'trialing', 'past_due'].includes(status)) return null;
  return cancelAt && cancelAt <= currentPeriodEnd ? null : currentPeriodEnd;
}
