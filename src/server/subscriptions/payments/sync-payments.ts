import { isDeepStrictEqual } from 'node:util';
import type { AuditAction } from '#contract/audit-actions.ts';
import type { PaymentView } from '#contract/payments.ts';
import { type Payment, Prisma, type Subscription } from '#generated/prisma/client.ts';
import { DAY } from '#server/core/clock.ts';
import { asStoredCaller, type Context, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { storeOutcome } from '#server/core/duplicate-request.ts';
import { notFound } from '#server/core/errors.ts';
import { type EventName, record } from '#server/core/record.ts';
import { type FoundBy, hasGrace, recordStripeRepair, updateGrace } from '#server/integrations/index.ts';
import type { StripeDispute, StripeInvoice, StripePayment, StripeRefund } from '#server/providers/stripe-payments.ts';
import { lockSubscription, presentSubscription, visibleTo } from '../records/subscription.ts';
import { type EventNotice, pendingChanges, recordNotices } from '../sync/sync-subscription.ts';

type PaymentCause = {
  /** How a change was found without a webhook; it is recorded as a repair. */
  found?: FoundBy;
  /** A refund with this request id is the caller's own. */
  request?: string;
  /**
   * Only invoices have changed. Refunds and disputes, which have events of their own, are not read for unchanged
   * invoices.
   */
  invoicesOnly?: boolean;
  /** The stored events that caused it. A failed attempt is emitted before the successful one. */
  notices?: EventNotice[];
};

/**
 * Updates the stored payments of a subscription to Stripe's current state, with tickets as in `syncSubscription`: only
 * the read with the highest ticket is written. Payments, refunds and disputes are emitted once each, a refund in the
 * name of its requester.
 */
export async function syncPayments(ctx: Context, subscriptionId: string, cause: PaymentCause = {}): Promise<void> {
  const [drawn] = await ctx.db.$queryRaw<{ ticket: bigint; synced: bigint; account_id: string }[]>`
    update subscriptions set payments_ticket = payments_ticket + 1
    where tenant_id = ${ctx.tenantId}::uuid and id = ${subscriptionId}
    returning payments_ticket as ticket, payments_synced_ticket as synced, account_id`;
  if (!drawn) throw notFound('subscription');
  const readAt = ctx.clock.now();
  const stripe = ctx.providers.stripeClient(ctx).payments(drawn.account_id);
  const where = { tenantId: ctx.tenantId, subscriptionId };
  // This read discards an earlier one that is still running, so it must read everything that the earlier one reads.
  const isNextInLine = drawn.ticket === drawn.synced + 1n;
  const storedById = new Map(
    cause.invoicesOnly && isNextInLine ? (await ctx.db.payment.findMany({ where })).map((row) => [row.id, row]) : [],
  );
  const live = await stripe.ofSubscription(subscriptionId, (invoice) => {
    const row = storedById.get(invoice.id);
    return row !== undefined && changedIn(row, invoiceColumnsOf(invoice)).length === 0;
  });
  await ctx.db.$transaction(async (tx) => {
    const subscription = await lockSubscription(tx, ctx, subscriptionId);
    const isNewer = subscription.paymentsSynced < drawn.ticket;
    const written = isNewer ? await writeAll(tx, ctx, { subscription, live }) : [];
    if (cause.notices) await recordNotices(tx, ctx, subscription, cause.notices);
    if (isNewer) {
      for (const one of written) await recordChanges(tx, ctx, { subscription, ...one }, cause);
      if (hasGrace(subscription)) await updateGrace(tx, ctx, subscriptionId);
      await tx.$executeRaw`
        update subscriptions set payments_synced_ticket = ${drawn.ticket}, payments_checked_at = ${readAt}::timestamptz
        where tenant_id = ${ctx.tenantId}::uuid and id = ${subscriptionId}`;
    }
    await storeOwnOutcome(tx, ctx, subscriptionId, cause);
  });
}

type Read = { subscription: Subscription; live: StripePayment[] };

/** Writes what changed, oldest first, so that events are emitted in order. */
async function writeAll(tx: Tx, ctx: Context, { subscription, live }: Read): Promise<Written[]> {
  const { tenantId, id: subscriptionId, accountId, patientId } = subscription;
  const rows = await tx.payment.findMany({ where: { tenantId, subscriptionId } });
  const storedById = new Map(rows.map((row) => [row.id, row]));
  const written: Written[] = [];
  const inOrder = [...live].sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  for (const payment of inOrder) {
    const before = storedById.get(payment.id) ?? null;
    const facts = columnsOf(payment);
    const changed = before ? changedIn(before, facts) : [];
    if (before && changed.length === 0) continue;
    // Stripe renews its links from time to time; that is no change.
    const isQuiet = before !== null && changed.every((name) => LINKS.has(name));
    const updatedAt = isQuiet ? before.updatedAt : ctx.clock.now();
    const data = { ...facts, failure: facts.failure ?? Prisma.DbNull, updatedAt };
    const after = before
      ? await tx.payment.update({ where: { tenantId_id: { tenantId, id: payment.id } }, data })
      : await tx.payment.create({ data: { ...data, tenantId, accountId, subscriptionId, patientId } });
    if (!isQuiet) written.push({ before, after, payment });
  }
  return written;
}

/** The columns stored of a payment. */
const columnsOf = (from: StripePayment) => ({
  ...from,
  ...invoiceColumnsOf(from),
  amountRefunded: BigInt(from.amountRefunded),
});

const invoiceColumnsOf = (from: StripeInvoice) => ({
  ...from,
  subtotal: BigInt(from.subtotal),
  discount: BigInt(from.discount),
  tax: BigInt(from.tax),
  total: BigInt(from.total),
  amountDue: BigInt(from.amountDue),
  amountPaid: BigInt(from.amountPaid),
  amountRemaining: BigInt(from.amountRemaining),
});

const LINKS = new Set(['invoiceUrl', 'pdfUrl', 'receiptUrl']);

/** Names of the columns that differ. */
const changedIn = (row: Payment, facts: Partial<ReturnType<typeof columnsOf>>): string[] =>
  Object.entries(facts).flatMap(([name, value]) =>
    isDeepStrictEqual(row[name as keyof Payment], value) ? [] : [name],
  );

type Written = { before: Payment | null; after: Payment; payment: StripePayment };
type PaymentChange = Written & { subscription: Subscription };
/** A refund with one of these statuses has returned no money. */
const WITHOUT_EFFECT = ['failed', 'canceled'];

async function recordChanges(
  tx: Tx,
  ctx: Context,
  { subscription, before, after, payment }: PaymentChange,
  cause: PaymentCause,
): Promise<void> {
  const reportedSince = new Date(subscription.createdAt.getTime() - DAY);
  const isNews = (at: string | Date | null) => at !== null && new Date(at) >= reportedSince;
  const { currency } = payment;
  // The caller whose request happens to read the payment has not made it.
  const stripe = ctx.actor.kind === 'system' ? ctx : systemContext(ctx, ctx.tenantId, 'stripe_webhook');
  const emit = (event: EventName, { by = stripe, action = 'subscriptions.sync', details = {} }: EmitOptions = {}) =>
    record(tx, by, {
      action,
      event,
      object: { type: 'Subscription', id: subscription.id },
      patientId: subscription.patientId,
      isNews: true,
      details: { payment_id: payment.id, ...details },
      payload: { ...presentSubscription(ctx, subscription), payment: withoutLinks(after) },
      response: presentPayment(after),
    });

  if (payment.status === 'paid' && payment.amountPaid > 0 && before?.status !== 'paid' && isNews(payment.paidAt))
    await emit('subscription.payment_succeeded', { details: { amount: payment.amountPaid, currency } });
  const earlier = new Map(
    [...((before?.refunds ?? []) as StripeRefund[]), ...((before?.disputes ?? []) as StripeDispute[])].map(
      ({ id, status }) => [id, status],
    ),
  );
  for (const refund of payment.refunds) {
    if (earlier.has(refund.id) || !isNews(refund.created_at) || WITHOUT_EFFECT.includes(refund.status)) continue;
    await emit('subscription.refunded', await requesterOf(tx, ctx, subscription, refund, cause));
  }
  for (const dispute of payment.disputes)
    if (!earlier.has(dispute.id) && isNews(dispute.created_at))
      await emit('subscription.disputed', { details: { dispute_id: dispute.id, amount: dispute.amount, currency } });
  const hasChangedStatus = [...payment.refunds, ...payment.disputes].some(
    ({ id, status }) => earlier.has(id) && earlier.get(id) !== status,
  );
  if (hasChangedStatus) await emit('subscription.updated', { details: { changed: ['payment'] } });
  if (!cause.found) return;
  const { accountId } = subscription;
  await recordStripeRepair(tx, ctx, { accountId, objectId: payment.id, foundBy: cause.found, what: 'payments' });
}

type EmitOptions = { by?: Context; action?: AuditAction; details?: Record<string, unknown> };

/** Attributes a refund to the caller or to its recorded request; Stripe's dashboard leaves no record. */
async function requesterOf(
  tx: Tx,
  ctx: Context,
  { id, asked, currency }: Subscription,
  refund: StripeRefund,
  cause: PaymentCause,
): Promise<EmitOptions> {
  const details = { refund_id: refund.id, amount: refund.amount, currency };
  const { request } = refund;
  if (request === null) return { details };
  const pending = pendingChanges({ asked }, ctx.clock.now()).find((one) => one.id === request);
  await tx.$executeRaw`
    update subscriptions
    set asked = jsonb_path_query_array(asked, '$[*] ? (@.id != $id)', ${JSON.stringify({ id: request })}::jsonb)
    where tenant_id = ${ctx.tenantId}::uuid and id = ${id}`;
  if (request === cause.request) return { by: ctx, action: REFUND, details };
  return pending ? { by: asStoredCaller(ctx, pending), action: pending.action, details } : { details };
}

const REFUND = 'payments.refund';

/** Another read may have recorded the caller's refund already; the response is still stored under their key. */
async function storeOwnOutcome(tx: Tx, ctx: Context, subscriptionId: string, { request }: PaymentCause): Promise<void> {
  if (!request) return;
  const { tenantId } = ctx;
  const rows = await tx.payment.findMany({ where: { tenantId, subscriptionId } });
  const own = rows.find(({ refunds }) => (refunds as StripeRefund[]).some((refund) => refund.request === request));
  if (!own) return;
  ctx.trail.hasEntry = true;
  await storeOutcome(tx, ctx, { action: REFUND, payload: presentPayment(own), isNews: true });
}

const number = (value: bigint): number => Number(value);
const instant = (value: Date | null): string | null => value?.toISOString() ?? null;

export function presentPayment(row: Payment): PaymentView {
  return {
    id: row.id,
    subscription_id: row.subscriptionId,
    patient_id: row.patientId,
    status: row.status as PaymentView['status'],
    number: row.number,
    currency: row.currency,
    subtotal: number(row.subtotal),
    discount: number(row.discount),
    tax: number(row.tax),
    total: number(row.total),
    amount_due: number(row.amountDue),
    amount_paid: number(row.amountPaid),
    amount_remaining: number(row.amountRemaining),
    amount_refunded: number(row.amountRefunded),
    billing_reason: row.billingReason,
    period_start: row.periodStart.toISOString(),
    period_end: row.periodEnd.toISOString(),
    paid_at: instant(row.paidAt),
    attempt_count: row.attemptCount,
    next_attempt_at: instant(row.nextAttemptAt),
    failure: row.failure as PaymentView['failure'],
    invoice_url: row.invoiceUrl,
    pdf_url: row.pdfUrl,
    receipt_url: row.receiptUrl,
    refunds: (row.refunds as StripeRefund[]).map(({ request: _, ...refund }) => refund),
    disputes: row.disputes as StripeDispute[],
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** For events, which go to other systems: a link gives access to the bill. */
function withoutLinks(row: Payment): Omit<PaymentView, 'invoice_url' | 'pdf_url' | 'receipt_url'> {
  const { invoice_url: _, pdf_url: __, receipt_url: ___, ...rest } = presentPayment(row);
  return rest;
}

/**
 * Returns the stored payment.
 * @throws `not_found` also when it belongs to another patient or tenant
 */
export async function loadPayment(ctx: Context, id: string): Promise<Payment> {
  const row = await ctx.db.payment.findFirst({ where: { ...visibleTo(ctx.actor), id } });
  if (!row) throw notFound('payment');
  ctx.trail.patients.add(row.patientId);
  return row;
}

/**
 * Returns the stored subscription of a Stripe payment intent, or null; calls Stripe when no stored payment names it.
 */
export async function subscriptionOfPayment(ctx: Context, accountId: string, intentId: string): Promise<string | null> {
  const { tenantId, db } = ctx;
  const row = await db.payment.findFirst({ where: { tenantId, paymentIntentIds: { has: intentId } } });
  const id =
    row?.subscriptionId ?? (await ctx.providers.stripeClient(ctx).payments(accountId).subscriptionOf(intentId));
  return id && (await db.subscription.count({ where: { tenantId, id } })) > 0 ? id : null;
}
