import type { Prisma, Subscription as Row } from '#generated/prisma/client.ts';
import { asService, asStoredCaller, type Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { storeOutcome } from '#server/core/keyed-request.ts';
import { type EventName, record } from '#server/core/record.ts';
import { markCustomerDeleted } from '#server/customers/customer.ts';
import { hasGrace, updateGrace } from '#server/integrations/grace.ts';
import { type FoundBy, recordStripeRepair } from '#server/integrations/repair.ts';
import { queueStripeEvents } from '#server/integrations/stripe-inbound.ts';
import { endCareIfArchived } from '#server/patients/queue-end-of-care.ts';
import { StripeRejection, type StripeSubscription, stripeOf } from '#server/providers/stripe.ts';
import {
  changedFacts,
  type Facts,
  factsOf,
  hasEnded,
  lastPaymentAttempt,
  lockSubscription,
  nextActionOf,
  presentSubscription,
  subscriptionColumns,
  toData,
  trialProducts,
} from '../records/subscription.ts';
import { isBeingRedeemed, type PendingChange, pendingChanges } from './pending-change.ts';

type Cause = {
  /** For the audit log; `subscriptions.sync` unless a request of a caller caused the change. */
  action?: string;
  details?: Record<string, unknown>;
  /** The record that `requestChange` stored before the change at Stripe. */
  pendingChangeId?: string;
  /** The stored events that caused it. */
  notices?: EventNotice[];
  /** How a change was found without a webhook; it is recorded as a repair. */
  found?: FoundBy;
  /** Its account is out of reach and it was ended only here; Stripe is not called. */
  endedHere?: boolean;
  /** Timeout for Stripe, in milliseconds. */
  withinMs?: number;
};
/** A stored event, and the notification to emit once in addition to the change. */
export type EventNotice = { id: string; notice: EventName | undefined };
/** `live` is null when Stripe no longer has the subscription, not even as an ended one. */
export type Synced = { row: Row; live: StripeSubscription | null };

/**
 * Updates our copy to Stripe's current state. Each read draws a ticket first, and only the highest ticket is written,
 * so concurrent reads leave the newest state. Events may arrive in any order, any number of times.
 */
export async function syncSubscription(ctx: Context, id: string, cause: Cause = {}): Promise<Synced> {
  const [drawn] = await ctx.db.$queryRaw<{ ticket: bigint; account_id: string }[]>`
    update subscriptions set ticket = ticket + 1
    where tenant_id = ${ctx.tenantId}::uuid and id = ${id} returning ticket, account_id`;
  if (!drawn) throw notFound('subscription');
  const readAt = ctx.clock.now();
  const stripe = stripeOf(ctx, cause.withinMs === undefined ? {} : { withinMs: cause.withinMs });
  const live = cause.endedHere ? null : await stripe.getSubscription(drawn.account_id, id).catch(nullWhenMissing);
  if (live?.customerDeleted) await markCustomerDeleted(ctx, drawn.account_id, live.customerId);
  const row = await ctx.db.$transaction((tx) => write(tx, ctx, { id, ticket: drawn.ticket, readAt, live }, cause));
  return { row, live };
}

/** For reads: returns null when Stripe no longer has the object. */
export function nullWhenMissing(error: unknown): null {
  if (error instanceof StripeRejection && error.reason === 'resource_missing') return null;
  throw error;
}

type Reading = { id: string; ticket: bigint; readAt: Date; live: StripeSubscription | null };

async function write(tx: Tx, ctx: Context, { id, ticket, readAt, live }: Reading, cause: Cause): Promise<Row> {
  const before = await lockSubscription(tx, ctx, id);
  const where = { tenantId_id: { tenantId: ctx.tenantId, id } };
  const isNewer = before.syncedTicket < ticket;
  const columns = live && subscriptionColumns(live);
  const facts = columns ?? endedColumns(before, readAt);
  const differing = isNewer ? changedFacts(factsOf(before), facts) : [];
  // A payment method seen for the first time is no change; the pause reason changes together with the status.
  const isNews = (name: keyof Facts) => name !== 'paymentMethod' || before.paymentMethodKnown;
  const changed = differing.filter((name) => name !== 'pauseReason' && isNews(name));
  const pending = pendingChanges(before, ctx.clock.now());
  const own = pending.find((one) => one.id === cause.pendingChangeId) ?? null;
  const done = [...(own ? [own] : []), ...pending].find((one) => one.facts.some((fact) => changed.includes(fact)));
  const left = pending.filter((one) => one !== own && one !== done) as unknown as Prisma.InputJsonArray;
  const after = isNewer
    ? await tx.subscription.update({
        where,
        data: {
          ...(columns ? toData(columns) : endedColumns(before, readAt)),
          ...(columns && { paymentMethodKnown: true }),
          ...(live && { trialProducts: trialProducts(before.trialProducts, live) }),
          ...(!isBeingRedeemed(before, facts.status, own) && { promotionCode: null, promotionCodeAt: null }),
          syncedTicket: ticket,
          checkedAt: readAt,
          ...(live?.latestInvoice?.createdAt && { invoicedAt: live.latestInvoice.createdAt }),
          updatedAt: changed.length > 0 ? ctx.clock.now() : before.updatedAt,
          asked: left,
        },
      })
    : before;
  if (isNewer && hasGrace(after)) await refreshGrace(tx, ctx, after);
  if (!isNewer && own) await tx.subscription.update({ where, data: { asked: left, updatedAt: before.updatedAt } });

  if (changed.length > 0) await endLinks(tx, ctx, before, after);
  await note(tx, ctx, { before, after, changed, live, own, done }, cause);
  if (changed.length > 0 && cause.found) {
    const what = before.status === after.status ? 'details' : `status:${after.status}`;
    await recordStripeRepair(tx, ctx, { accountId: after.accountId, objectId: id, foundBy: cause.found, what });
  }
  await recordNotices(tx, ctx, after, cause.notices ?? [], cause.action);
  return after;
}

/** Also updates the row in memory, which becomes the payload of the event. */
async function refreshGrace(tx: Tx, ctx: Context, row: Row): Promise<void> {
  await updateGrace(tx, ctx, row.id);
  const where = { tenantId_id: { tenantId: ctx.tenantId, id: row.id } };
  row.graceUntil = (await tx.subscription.findUniqueOrThrow({ where, select: { graceUntil: true } })).graceUntil;
}

type Written = {
  before: Row;
  after: Row;
  changed: (keyof Facts)[];
  live: StripeSubscription | null;
  /** The caller's own record, unless another read has attributed its change already. */
  own: PendingChange | null;
  /** The record that requested this change. */
  done: PendingChange | undefined;
};

/** Records a change once, in the name of its requester. */
async function note(
  tx: Tx,
  ctx: Context,
  { before, after, changed, live, own, done }: Written,
  cause: Cause,
): Promise<void> {
  const payload = presentSubscription(ctx, after);
  const about = {
    object: { type: 'Subscription', id: after.id },
    patientId: after.patientId,
    isNews: true,
    payload,
  } as const;
  const isRecordedAlready = cause.pendingChangeId !== undefined && !own;
  if (changed.length > 0) {
    const isOthers = done !== undefined && done !== own;
    const { action, details } = isOthers ? done : isRecordedAlready ? {} : cause;
    await record(tx, isOthers ? asStoredCaller(ctx, done) : action ? ctx : asService(ctx, 'sync_subscription'), {
      ...about,
      action: action ?? 'subscriptions.sync',
      event: eventOf(before.status, after.status),
      details: { ...details, changed, status: after.status, ...(!live && { missing_at_stripe: true }) },
    });
  } else if (cause.action && !isRecordedAlready)
    await record(tx, ctx, { ...about, action: cause.action, details: cause.details ?? {} });
  if (!cause.action || !isRecordedAlready) return;
  // Another read has recorded it in the caller's name already.
  ctx.trail.hasEntry = true;
  await storeOutcome(tx, ctx, { action: cause.action, payload, isNews: true });
}

/** A subscription that Stripe no longer has must have ended; the other columns keep their last values. */
const endedColumns = (before: Row, at: Date): Pick<Facts, 'status' | 'canceledAt' | 'endedAt'> => ({
  status: hasEnded(before) ? before.status : 'canceled',
  canceledAt: before.canceledAt ?? at,
  endedAt: before.endedAt ?? at,
});

/** Emits the notifications of stored events. The caller must hold the lock on the subscription's row. */
export async function recordNotices(
  tx: Tx,
  ctx: Context,
  row: Row,
  notices: EventNotice[],
  action = 'subscriptions.sync',
) {
  const about = { object: { type: 'Subscription', id: row.id }, patientId: row.patientId, isNews: true as const };
  for (const { id, notice } of notices)
    if ((await firstTime(tx, ctx, id)) && notice) {
      const details = notice === 'subscription.payment_failed' ? await lastPaymentAttempt(tx, row) : {};
      await record(tx, ctx, { ...about, action, event: notice, details, payload: presentSubscription(ctx, row) });
    }
}

/** Marks the inbound event as processed, in the transaction of its effects. */
async function firstTime(tx: Tx, ctx: Context, inboundId: string): Promise<boolean> {
  const { count } = await tx.inboundEvent.updateMany({
    where: { tenantId: ctx.tenantId, provider: 'stripe', id: inboundId, processedAt: null },
    data: { processedAt: ctx.clock.now(), lastError: null },
  });
  return count > 0;
}

const RUNNING = new Set(['active', 'trialing']);

/** Returns the event of a change: the status change where there is one, else `subscription.updated`. */
function eventOf(before: string, after: string): EventName {
  if (before === after) return 'subscription.updated';
  if (after === 'canceled') return 'subscription.canceled';
  if (after === 'incomplete_expired') return 'subscription.expired';
  return RUNNING.has(after) && !RUNNING.has(before) ? 'subscription.activated' : 'subscription.updated';
}

/** The terms that a patient accepts on the page of a payment link: amount, items and interval. */
function termsOf(row: Row): string {
  const invoice = row.latestInvoice as Facts['latestInvoice'];
  const items = (row.items as Facts['items']).map(({ price_id, quantity }) => [price_id, quantity]);
  const { currency, billingPeriod, billingInterval } = row;
  const price = row.planPrice === null ? null : Number(row.planPrice);
  return JSON.stringify([items, price, currency, billingPeriod, billingInterval, invoice?.id, invoice?.amount_due]);
}

/**
 * Ends payment links in the transaction of the change. Once the payment is done or no longer possible, a link only
 * shows the outcome and its token is deleted; when the terms change, it opens nothing, so that no patient accepts an
 * amount other than the one that was sent.
 */
async function endLinks(tx: Tx, ctx: Context, before: Row, after: Row): Promise<void> {
  const now = ctx.clock.now();
  const where = { tenantId: ctx.tenantId, subscriptionId: after.id, endedAt: null, completedAt: null };
  if (hasEnded(after)) await tx.checkoutLink.updateMany({ where, data: { token: null } });
  else if (nextActionOf(after) === 'none' && ['active', 'trialing'].includes(after.status))
    await tx.checkoutLink.updateMany({ where, data: { token: null, completedAt: now } });
  else if (termsOf(before) !== termsOf(after))
    await tx.checkoutLink.updateMany({ where, data: { token: null, endedAt: now } });
}

type Owner = Pick<Row, 'accountId' | 'patientId' | 'createdByClientId'> & {
  intentId: string | null;
  allowPromotionCodes?: boolean | undefined;
};

/**
 * Stores a Stripe subscription and closes the intent that created it.
 * @returns false when it was stored already; then only the intent is updated
 */
export async function adoptSubscription(
  ctx: Context,
  live: StripeSubscription,
  owner: Owner,
  found?: FoundBy,
): Promise<boolean> {
  const { accountId, patientId, createdByClientId, intentId, allowPromotionCodes = false } = owner;
  const now = ctx.clock.now();
  return ctx.db.$transaction(async (tx) => {
    if (intentId)
      await tx.subscriptionIntent.updateMany({
        where: { tenantId: ctx.tenantId, id: intentId, patientId },
        data: { status: 'done', subscriptionId: live.id },
      });
    const facts = subscriptionColumns(live);
    const [row] = await tx.subscription.createManyAndReturn({
      data: [
        {
          ...toData(facts),
          paymentMethodKnown: true,
          trialProducts: trialProducts([], live),
          id: live.id,
          tenantId: ctx.tenantId,
          accountId,
          patientId,
          createdByClientId,
          allowPromotionCodes,
          createdAt: now,
          updatedAt: now,
          checkedAt: now,
          invoicedAt: live.latestInvoice?.createdAt ?? null,
        },
      ],
      skipDuplicates: true,
    });
    if (!row) return false;
    if (hasGrace(row)) await refreshGrace(tx, ctx, row);
    await tx.unknownSubscription.deleteMany({ where: { tenantId: ctx.tenantId, id: live.id } });
    // Events that arrived while it was being created are newer than the stored row.
    const waiting = { tenantId: ctx.tenantId, provider: 'stripe', objectId: live.id, processedAt: null };
    if ((await tx.inboundEvent.count({ where: waiting })) > 0) await queueStripeEvents(tx, ctx, live.id, now);
    if (found) await recordStripeRepair(tx, ctx, { accountId, objectId: live.id, foundBy: found, what: 'adopted' });
    const payload = presentSubscription(ctx, row);
    const about = { object: { type: 'Subscription', id: row.id }, patientId, payload, isNews: true as const };
    await record(tx, ctx, {
      ...about,
      action: 'subscriptions.create',
      event: 'subscription.created',
      details: { price_ids: payload.price_ids, status: row.status },
    });
    if (row.status === 'active' || row.status === 'trialing')
      await record(tx, ctx, { ...about, action: 'subscriptions.activate', event: 'subscription.activated' });
    if (!hasEnded(row)) await endCareIfArchived(tx, ctx, patientId);
    return true;
  });
}
