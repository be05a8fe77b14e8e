import type { AuditAction } from '#contract/audit-actions.ts';
import { waitsForCard } from '#contract/subscription-status.ts';
import type { Prisma, Subscription as Row, Subscription } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import { asService, asStoredCaller, type Context, type StoredCaller, storedCallerOf } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { storeOutcome } from '#server/core/duplicate-request.ts';
import { CarelaneError, notFound, OUTCOME_UNKNOWN } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { type EventName, record } from '#server/core/record.ts';
import { markCustomerDeleted } from '#server/customers/index.ts';
import {
  type FoundBy,
  hasGrace,
  queueStripeEvents,
  recordStripeRepair,
  updateGrace,
} from '#server/integrations/index.ts';
import { endCareIfArchived, lockOwner } from '#server/patients/index.ts';
import type { StripeSubscription } from '#server/providers/stripe.ts';
import { StripeFailure, StripeRejection } from '#server/providers/stripe-errors.ts';
import {
  changedFacts,
  type Facts,
  factsOf,
  hasEnded,
  lastPaymentAttempt,
  lockSubscription,
  nextActionOf,
  pauseReasonOf,
  presentSubscription,
  subscriptionColumns,
  toData,
  trialProducts,
} from '../records/subscription.ts';

type Cause = {
  /** For the audit log; `subscriptions.sync` unless a request of a caller caused the change. */
  action?: AuditAction;
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
  const stripe = ctx.providers.stripeClient(ctx, cause.withinMs === undefined ? {} : { withinMs: cause.withinMs });
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
  const isReported = (name: keyof Facts) => name !== 'paymentMethod' || before.paymentMethodKnown;
  const changed = differing.filter((name) => name !== 'pauseReason' && isReported(name));
  const pending = pendingChanges(before, ctx.clock.now());
  const own = pending.find((one) => one.id === cause.pendingChangeId) ?? null;
  const matchingChange = [...(own ? [own] : []), ...pending].find((one) =>
    one.facts.some((fact) => changed.includes(fact)),
  );
  const remaining = pending.filter((one) => one !== own && one !== matchingChange) as unknown as Prisma.InputJsonArray;
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
          asked: remaining,
        },
      })
    : before;
  if (isNewer && hasGrace(after)) await refreshGrace(tx, ctx, after);
  if (!isNewer && own) await tx.subscription.update({ where, data: { asked: remaining, updatedAt: before.updatedAt } });

  if (changed.length > 0) await endLinks(tx, ctx, before, after);
  await recordChange(tx, ctx, { before, after, changed, live, own, matchingChange }, cause);
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
  matchingChange: PendingChange | undefined;
};

/** Records a change once, in the name of its requester. */
async function recordChange(
  tx: Tx,
  ctx: Context,
  { before, after, changed, live, own, matchingChange }: Written,
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
    const isOtherChange = matchingChange !== undefined && matchingChange !== own;
    const { action, details } = isOtherChange ? matchingChange : isRecordedAlready ? {} : cause;
    await record(
      tx,
      isOtherChange ? asStoredCaller(ctx, matchingChange) : action ? ctx : asService(ctx, 'sync_subscription'),
      {
        ...about,
        action: action ?? 'subscriptions.sync',
        event: eventOf(before.status, after.status),
        details: { ...details, changed, status: after.status, ...(!live && { missing_at_stripe: true }) },
      },
    );
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
  action: AuditAction = 'subscriptions.sync',
) {
  const about = { object: { type: 'Subscription', id: row.id }, patientId: row.patientId, isNews: true as const };
  for (const { id, notice } of notices)
    if ((await markProcessed(tx, ctx, id)) && notice) {
      const details = notice === 'subscription.payment_failed' ? await lastPaymentAttempt(tx, row) : {};
      await record(tx, ctx, { ...about, action, event: notice, details, payload: presentSubscription(ctx, row) });
    }
}

/** Marks the inbound event as processed, in the transaction of its effects. */
async function markProcessed(tx: Tx, ctx: Context, inboundId: string): Promise<boolean> {
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
  const where = { tenantId: ctx.tenantId, subscriptionId: after.id, endedAt: null, completedAt: null };
  const end = (at: object = {}) => tx.checkoutLink.updateMany({ where, data: { token: null, ...at } });
  if (hasEnded(after)) await end();
  else if (nextActionOf(after) === 'none' && ['active', 'trialing'].includes(after.status))
    await end({ completedAt: ctx.clock.now() });
  else if (termsOf(before) !== termsOf(after)) await end({ endedAt: ctx.clock.now() });
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
  const { accountId, createdByClientId, intentId, allowPromotionCodes = false } = owner;
  const now = ctx.clock.now();
  return ctx.db.$transaction(async (tx) => {
    const patientId = await lockOwner(tx, ctx, owner.patientId);
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
    const pendingEvents = { tenantId: ctx.tenantId, provider: 'stripe', objectId: live.id, processedAt: null };
    if ((await tx.inboundEvent.count({ where: pendingEvents })) > 0) await queueStripeEvents(tx, ctx, live.id, now);
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

/** Upper bound for finding a change made at Stripe, also when webhooks or responses were lost. */
const PENDING_TTL = 20 * MINUTE;

type ChangeRequest = {
  /** For the audit log, as the request's own entry would have it. */
  action: AuditAction;
  details: Record<string, unknown>;
  /**
   * Columns whose change shows that the request was carried out. Empty when the outcome names the request by its id.
   */
  facts: (keyof Facts)[];
  /** The id of the record, when the request has its own. */
  id?: string;
};
/** A record of a requested change: the requester, and until when a change is attributed to it. */
type PendingChange = Omit<ChangeRequest, 'id'> & StoredCaller & { id: string; until: string };

/** Requested changes that have not been seen at Stripe yet. */
export const pendingChanges = ({ asked }: Pick<Subscription, 'asked'>, now: Date): PendingChange[] =>
  (asked as PendingChange[]).filter(({ until }) => Date.parse(until) > now.getTime());

/**
 * True while a promotion code is being redeemed: the subscription waits for its first payment, or was ended to be
 * created again with the code. One that was paid, canceled or has expired is not created again.
 */
function isBeingRedeemed(before: Subscription, status: string, own: PendingChange | null): boolean {
  if (hasEnded(before) || status === 'incomplete') return true;
  const isReplaced = ({ details }: PendingChange) => details.replaced === true;
  return hasEnded({ status }) && (own ? isReplaced(own) : (before.asked as PendingChange[]).some(isReplaced));
}

/**
 * Records the request, then makes the change at Stripe. The webhook may be processed before the request returns; the
 * record lets it attribute the change to the caller. An error of Stripe removes the record; a call with unknown outcome
 * keeps it. `claim` runs in the transaction that stores the record, which is then also removed when the call is known
 * to have had no effect.
 * @returns the cause to pass to the following sync
 */
export async function requestChange(
  ctx: Context,
  id: string,
  request: ChangeRequest,
  change: () => Promise<unknown>,
  claim?: (tx: Tx) => Promise<void>,
) {
  const now = ctx.clock.now();
  const until = new Date(now.getTime() + PENDING_TTL).toISOString();
  const { tenantId } = ctx;
  const pending: PendingChange = { ...request, id: request.id ?? newId(now), ...storedCallerOf(ctx), until };
  await ctx.db.$transaction(async (tx) => {
    await claim?.(tx);
    await tx.$executeRaw`
      update subscriptions set asked = asked || ${JSON.stringify([pending])}::jsonb
      where tenant_id = ${tenantId}::uuid and id = ${id}`;
  });
  try {
    await change();
  } catch (error) {
    if (error instanceof CarelaneError && (!(error instanceof StripeFailure) || (claim && !isOutcomeUnknown(error))))
      await ctx.db.$executeRaw`
        update subscriptions set asked = jsonb_path_query_array(asked, '$[*] ? (@.id != $id)', ${JSON.stringify({ id: pending.id })}::jsonb)
        where tenant_id = ${tenantId}::uuid and id = ${id}`;
    throw error;
  }
  return { action: request.action, details: request.details, pendingChangeId: pending.id };
}

const isOutcomeUnknown = ({ faults }: StripeFailure): boolean =>
  faults.some(({ meta }) => meta?.outcome === OUTCOME_UNKNOWN.outcome);

/**
 * True when it was paused because its trial ended without a card, and a card is saved now. One paused on request is not
 * resumed here.
 */
export const isPausedForCard = (row: Subscription): boolean =>
  row.paymentMethod !== null && waitsForCard({ pause_reason: pauseReasonOf(row) });

/**
 * Resumes and bills a subscription that was paused for lack of a card.
 * @returns undefined when Stripe rejects it: another request has resumed it already
 */
export const resumePaused = (ctx: Context, { id, accountId }: Pick<Subscription, 'id' | 'accountId'>) =>
  requestChange(ctx, id, { action: 'subscriptions.update', details: { resumed: true }, facts: ['status'] }, () =>
    ctx.providers.stripeClient(ctx).cards.resume(accountId, id),
  ).catch((error: unknown) => {
    if (error instanceof StripeRejection) return undefined;
    throw error;
  });
