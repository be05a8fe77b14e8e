import { isDeepStrictEqual } from 'node:util';
import { ENDED_STATUSES } from '#contract/subscription-status.ts';
import type { PlanView, SubscriptionView } from '#contract/subscriptions.ts';
import { Prisma, type Subscription } from '#generated/prisma/client.ts';
import { type Actor, isStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { paymentClientOf } from '#server/integrations/index.ts';
import { inBody, type PricesAt } from '#server/plans/index.ts';
import type { StripeSubscription } from '#server/providers/stripe.ts';
import type { ChargedMethod } from '#server/providers/stripe-subscription.ts';

/** The columns copied from Stripe; nested values are JSON. Never holds a client secret. */
export type Facts = Pick<
  Subscription,
  | 'status'
  | 'name'
  | 'planPrice'
  | 'currency'
  | 'billingPeriod'
  | 'billingInterval'
  | 'cancelAtPeriodEnd'
  | 'cancelAt'
  | 'canceledAt'
  | 'endedAt'
  | 'currentPeriodStart'
  | 'currentPeriodEnd'
  | 'trialStart'
  | 'trialEnd'
  | 'pauseReason'
> & {
  items: { id: string; price_id: string; quantity: number }[];
  pauseCollection: SubscriptionView['pause_collection'];
  discount: { code: string | null; percent_off: number | null; amount_off: number | null } | null;
  latestInvoice: StoredInvoice | null;
  pendingSetupIntent: { id: string; status: string } | null;
  paymentMethod: ChargedMethod | null;
};
type StoredInvoice = {
  id: string;
  status: string | null;
  amount_due: number;
  currency: string;
  payment_intent: { id: string; status: string } | null;
};

/**
 * Maps a Stripe subscription to its columns. A `cancel_at` exactly one interval after the trial is how this service
 * sets `cancel_at_period_end` on a trial, so it is read back as that.
 */
export function subscriptionColumns(from: StripeSubscription): Facts {
  const { latestInvoice: invoice, pendingSetupIntent: setup, pauseCollection: pause, discount } = from;
  const afterTrial =
    from.trialEnd && addIntervals(from.trialEnd, from.recurring.interval, from.recurring.interval_count);
  return {
    status: from.status,
    name: from.name,
    planPrice: from.planPrice === null ? null : BigInt(from.planPrice),
    currency: from.currency,
    billingPeriod: from.hasMixedIntervals ? null : from.recurring.interval,
    billingInterval: from.hasMixedIntervals ? null : from.recurring.interval_count,
    items: from.items.map(({ id, priceId, quantity }) => ({ id, price_id: priceId, quantity })),
    cancelAtPeriodEnd: from.cancelAtPeriodEnd || (!!from.cancelAt && from.cancelAt.getTime() === afterTrial?.getTime()),
    cancelAt: from.cancelAt,
    canceledAt: from.canceledAt,
    endedAt: from.endedAt,
    currentPeriodStart: from.currentPeriodStart,
    currentPeriodEnd: from.currentPeriodEnd,
    trialStart: from.trialStart,
    trialEnd: from.trialEnd,
    pauseCollection: pause && { behavior: pause.behavior, resumes_at: instant(pause.resumesAt) },
    pauseReason: from.pauseReason,
    discount: discount && { code: discount.code, percent_off: discount.percentOff, amount_off: discount.amountOff },
    latestInvoice: invoice && {
      id: invoice.id,
      status: invoice.status,
      amount_due: invoice.amountDue,
      currency: invoice.currency,
      payment_intent: invoice.paymentIntent && { id: invoice.paymentIntent.id, status: invoice.paymentIntent.status },
    },
    pendingSetupIntent: setup && { id: setup.id, status: setup.status },
    paymentMethod: from.paymentMethod,
  };
}

/** The products that the patient has had a free trial of: every product that was in the subscription during a trial. */
export function trialProducts(before: string[], { trialStart, status, items }: StripeSubscription): string[] {
  if (!trialStart || (status !== 'trialing' && before.length > 0)) return before;
  return [...new Set([...before, ...items.map(({ productId }) => productId)])].filter(Boolean);
}

/** The columns copied from Stripe, typed as `subscriptionColumns` returns them. */
export const factsOf = (row: Subscription): Facts => row as unknown as Facts;

/** The columns as Prisma writes them: an empty JSON column is NULL. */
export const toData = (facts: Facts) => ({
  ...facts,
  discount: facts.discount ?? Prisma.DbNull,
  pauseCollection: facts.pauseCollection ?? Prisma.DbNull,
  latestInvoice: facts.latestInvoice ?? Prisma.DbNull,
  pendingSetupIntent: facts.pendingSetupIntent ?? Prisma.DbNull,
  paymentMethod: facts.paymentMethod ?? Prisma.DbNull,
});

/** Names of the columns that differ. */
export const changedFacts = (before: Facts, after: Partial<Facts>): (keyof Facts)[] =>
  (Object.keys(after) as (keyof Facts)[]).filter((key) => !isDeepStrictEqual(before[key], after[key]));

const UNPAID = new Set(['incomplete', 'past_due', 'unpaid']);
/** Intent statuses that wait for the patient; `processing` waits for the bank. */
const WAITING = new Set(['requires_payment_method', 'requires_confirmation', 'requires_action']);

/** Returns what the patient has to do: pay the open invoice, save a card for the end of the trial, or nothing. */
export function nextAction({
  status,
  latestInvoice,
  pendingSetupIntent,
}: Pick<Facts, 'status' | 'latestInvoice' | 'pendingSetupIntent'>): SubscriptionView['next_action'] {
  if (ENDED.includes(status)) return 'none';
  const payment = latestInvoice?.status === 'open' ? latestInvoice.payment_intent : null;
  if (UNPAID.has(status) && payment && WAITING.has(payment.status)) return 'payment';
  return pendingSetupIntent && WAITING.has(pendingSetupIntent.status) ? 'setup' : 'none';
}

/** Stripe's pause reason. For rows from before it was stored, a trial's own period means that no card was given. */
export function pauseReasonOf({ status, pauseReason, trialStart, currentPeriodStart }: Subscription): string | null {
  const isTrial = trialStart !== null && trialStart.getTime() === currentPeriodStart?.getTime();
  return status === 'paused' ? (pauseReason ?? (isTrial ? 'trial_end_without_payment_method' : null)) : null;
}

const instant = (value: Date | null): string | null => value?.toISOString() ?? null;

/** `live` is the Stripe object as just read; it is passed only when the caller may have its client secrets. */
export function presentSubscription(
  { config }: Pick<Context, 'config'>,
  row: Subscription,
  live: StripeSubscription | null = null,
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
    grace_until: instant(row.graceUntil),
    pause_collection: row.pauseCollection as Facts['pauseCollection'],
    pause_reason: pauseReasonOf(row),
    discount: row.discount as Facts['discount'],
    allow_promotion_codes: row.allowPromotionCodes,
    replaced_by: row.replacedBy,
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
      ...{ id: setup.id, status: setup.status },
      ...(setupSecret && { client_secret: setupSecret }),
    },
    next_action,
    payment_method: row.paymentMethod as Facts['paymentMethod'],
    payment_client: paymentClientOf(config, row.accountId),
  };
}

/** `nextAction` of the stored row. */
export const nextActionOf = (row: Subscription): SubscriptionView['next_action'] =>
  nextAction({
    status: row.status,
    latestInvoice: row.latestInvoice as Facts['latestInvoice'],
    pendingSetupIntent: row.pendingSetupIntent as Facts['pendingSetupIntent'],
  });

/** The end of the current period; null when it ends by then, does not run, or collects nothing by then. */
function upcomingInvoiceAt(row: Subscription): Date | null {
  const { status, currentPeriodEnd, cancelAt } = row;
  if (!currentPeriodEnd || !['active', 'trialing', 'past_due'].includes(status)) return null;
  const pause = row.pauseCollection as Facts['pauseCollection'];
  if (pause && !(pause.resumes_at && new Date(pause.resumes_at) <= currentPeriodEnd)) return null;
  return cancelAt && cancelAt <= currentPeriodEnd ? null : currentPeriodEnd;
}

/** Client secrets are visible to the patient, its impersonator and the application that created the subscription. */
export const maySeeSecrets = (
  actor: Actor,
  { patientId, createdByClientId }: Pick<Subscription, 'patientId' | 'createdByClientId'>,
): boolean =>
  (actor.kind === 'patient' && actor.patientId === patientId) ||
  (actor.kind === 'application' && actor.clientId === createdByClientId);

/** The rows that the actor may see: a patient its own, any other actor the whole tenant. */
export function visibleTo(actor: Actor): { tenantId: string; patientId?: string } {
  if (actor.kind === 'patient') return { tenantId: actor.tenantId, patientId: actor.patientId };
  if (actor.kind === 'application' || actor.kind === 'system' || isStaff(actor)) return { tenantId: actor.tenantId };
  throw new Error('a visitor sees no subscriptions');
}

export const ENDED = [...ENDED_STATUSES];
export const hasEnded = ({ status }: Pick<Subscription, 'status'>): boolean => ENDED.includes(status);

/** Returns the stored subscription; throws `not_found` also when it belongs to another patient or tenant. */
export async function loadSubscription(ctx: Context, id: string): Promise<Subscription> {
  const row = await ctx.db.subscription.findFirst({ where: { ...visibleTo(ctx.actor), id } });
  if (!row) throw notFound('subscription');
  ctx.trail.patients.add(row.patientId);
  return row;
}

/** Locks the stored row until the transaction ends. The caller must have checked access. */
export async function lockSubscription(tx: Tx, { tenantId }: Pick<Context, 'tenantId'>, id: string) {
  await tx.$queryRaw`select 1 from subscriptions where tenant_id = ${tenantId}::uuid and id = ${id} for update`;
  return tx.subscription.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id } } });
}

export type Interval = 'day' | 'week' | 'month' | 'year';

const DAYS: Partial<Record<Interval, number>> = { day: 1, week: 7 };

/** Adds `count` intervals in UTC. A missing day becomes the last of the month (Stripe, "Billing cycle"). */
export function addIntervals(from: Date, interval: Interval, count: number): Date {
  const to = new Date(from);
  const days = DAYS[interval];
  if (days !== undefined) {
    to.setUTCDate(to.getUTCDate() + days * count);
    return to;
  }
  to.setUTCDate(1);
  to.setUTCMonth(to.getUTCMonth() + (interval === 'year' ? 12 * count : count));
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return to;
}

export function assertDistinctPrices(priceIds: string[], at: PricesAt = inBody): void {
  const duplicate = priceIds.findIndex((id, index) => priceIds.indexOf(id) !== index);
  if (duplicate >= 0) throw apiError('invalid_parameter', 'Each price may be named once.', { source: at(duplicate) });
}

type Kind = { currency: string; interval: string | null | undefined; count: number | null | undefined };
const same = (a: Kind, b: Kind) => a.currency === b.currency && a.interval === b.interval && a.count === b.count;
const kindOf = ({ currency, recurring }: PlanView): Kind => ({
  currency,
  interval: recurring?.interval,
  count: recurring?.interval_count,
});

/** Items of one subscription share currency and interval; `current` describes those that it already has. */
export function assertSameBilling(plans: PlanView[], current: Kind | null = null, at: PricesAt = inBody): void {
  const first = current ?? (plans[0] && kindOf(plans[0]));
  const other = plans.find((plan) => first && !same(kindOf(plan), first));
  if (other)
    throw apiError('invalid_parameter', 'All prices of one subscription must share currency and billing interval.', {
      source: at(plans.indexOf(other)),
    });
}

/** Details of the last failed attempt to pay the open bill, with Stripe's reason as far as it has been read. */
export async function lastPaymentAttempt(
  tx: Pick<Tx, 'payment'>,
  { tenantId, id: subscriptionId }: Subscription,
): Promise<Record<string, unknown>> {
  const bill = await tx.payment.findFirst({
    where: { tenantId, subscriptionId, status: 'open', attemptCount: { gt: 0 } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  const failure = bill?.failure as { code: string | null } | null | undefined;
  if (!bill) return {};
  const { id: payment_id, attemptCount: attempt, amountRemaining, currency } = bill;
  return { payment_id, attempt, reason: failure?.code ?? null, amount: Number(amountRemaining), currency };
}
