import type { Prisma, Subscription as Row } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { inNameOf, inOwnName } from '#server/core/in-name-of.ts';
import { keepOutcome } from '#server/core/keyed-request.ts';
import { type EventName, record } from '#server/core/record.ts';
import { noteDeletedCustomer } from '#server/customers/customer.ts';
import { hasGrace, keepGrace } from '#server/integrations/grace.ts';
import { type FoundBy, noteRepair } from '#server/integrations/note-repair.ts';
import { queueApplying } from '#server/integrations/stripe-inbound.ts';
import { endIfTooLate } from '#server/patients/queue-end-of-care.ts';
import { type ProcessorSubscription, StripeRefusal, stripeOf } from '#server/providers/stripe.ts';
import {
  changedFacts,
  type Facts,
  factsOf,
  hasEnded,
  lastTry,
  lockSubscription,
  nextActionOf,
  presentSubscription,
  subscriptionColumns,
  toData,
  trialProducts,
} from '../records/subscription.ts';
import { isBeingRedeemed, openWords, type Word } from './asked-change.ts';

export type Cause = {
  /** For the audit log; `subscriptions.sync` unless a caller's verb is behind it. */
  action?: string;
  details?: Record<string, unknown>;
  /** What the caller has left word of before Stripe was asked (`askFor`). */
  word?: string;
  /** The stored events behind it. */
  heard?: Heard[];
  /** How it came to be read although no webhook told of a change; what it changes is noted as put right. */
  found?: FoundBy;
  /** It is at an account out of reach, and was ended here alone: Stripe is not asked. */
  endedHere?: boolean;
  /** How long Stripe may take. */
  withinMs?: number;
};
/** A stored event, and what happened besides the change: told once for each. */
export type Heard = { id: string; notice: EventName | undefined };
/** `live` is null when Stripe has the subscription no more: not even as one that has ended. */
export type Synced = { row: Row; live: ProcessorSubscription | null };

/**
 * Makes our copy what the processor says now. A ticket is drawn before the reading and only the highest one is ever
 * written, so readings that overtake one another leave the newest; events may come in any order and any number.
 */
export async function syncSubscription(ctx: Context, id: string, cause: Cause = {}): Promise<Synced> {
  const [drawn] = await ctx.db.$queryRaw<{ ticket: bigint; account_id: string }[]>`
    update subscriptions set ticket = ticket + 1
    where tenant_id = ${ctx.tenantId}::uuid and id = ${id} returning ticket, account_id`;
  if (!drawn) throw notFound('subscription');
  const readAt = ctx.clock.now();
  const stripe = stripeOf(ctx, cause.withinMs === undefined ? {} : { withinMs: cause.withinMs });
  const live = cause.endedHere ? null : await stripe.getSubscription(drawn.account_id, id).catch(nullWhenMissing);
  if (live?.customerDeleted) await noteDeletedCustomer(ctx, drawn.account_id, live.customerId);
  const row = await ctx.db.$transaction((tx) => write(tx, ctx, { id, ticket: drawn.ticket, readAt, live }, cause));
  return { row, live };
}

/** Of a reading: what Stripe has no more is no failure. */
export function nullWhenMissing(error: unknown): null {
  if (error instanceof StripeRefusal && error.reason === 'resource_missing') return null;
  throw error;
}

type Reading = { id: string; ticket: bigint; readAt: Date; live: ProcessorSubscription | null };

async function write(tx: Tx, ctx: Context, { id, ticket, readAt, live }: Reading, cause: Cause): Promise<Row> {
  const before = await lockSubscription(tx, ctx, id);
  const where = { tenantId_id: { tenantId: ctx.tenantId, id } };
  const isNewer = before.syncedTicket < ticket;
  const said = live && subscriptionColumns(live);
  const facts = said ?? gone(before, readAt);
  const differing = isNewer ? changedFacts(factsOf(before), facts) : [];
  // What nobody had asked for before is no news; why it is paused comes with its status.
  const isNews = (name: keyof Facts) => name !== 'paymentMethod' || before.paymentMethodKnown;
  const changed = differing.filter((name) => name !== 'pauseReason' && isNews(name));
  const words = openWords(before, ctx.clock.now());
  const asked = words.find((word) => word.id === cause.word) ?? null;
  const done = [...(asked ? [asked] : []), ...words].find((word) => word.facts.some((fact) => changed.includes(fact)));
  const left = words.filter((word) => word !== asked && word !== done) as unknown as Prisma.InputJsonArray;
  const after = isNewer
    ? await tx.subscription.update({
        where,
        data: {
          ...(said ? toData(said) : gone(before, readAt)),
          ...(said && { paymentMethodKnown: true }),
          ...(live && { trialProducts: trialProducts(before.trialProducts, live) }),
          ...(!isBeingRedeemed(before, facts.status, asked) && { promotionCode: null, promotionCodeAt: null }),
          syncedTicket: ticket,
          checkedAt: readAt,
          ...(live?.latestInvoice?.createdAt && { invoicedAt: live.latestInvoice.createdAt }),
          updatedAt: changed.length > 0 ? ctx.clock.now() : before.updatedAt,
          asked: left,
        },
      })
    : before;
  if (isNewer && hasGrace(after)) await reckonGrace(tx, ctx, after);
  if (!isNewer && asked) await tx.subscription.update({ where, data: { asked: left, updatedAt: before.updatedAt } });

  if (changed.length > 0) await endLinks(tx, ctx, before, after);
  await note(tx, ctx, { before, after, changed, live, asked, done }, cause);
  if (changed.length > 0 && cause.found) {
    const what = before.status === after.status ? 'details' : `status:${after.status}`;
    await noteRepair(tx, ctx, { accountId: after.accountId, objectId: id, foundBy: cause.found, what });
  }
  await tellHeard(tx, ctx, after, cause.heard ?? [], cause.action);
  return after;
}

/** The row says it too, which is what is told of it. */
async function reckonGrace(tx: Tx, ctx: Context, row: Row): Promise<void> {
  await keepGrace(tx, ctx, row.id);
  const where = { tenantId_id: { tenantId: ctx.tenantId, id: row.id } };
  row.graceUntil = (await tx.subscription.findUniqueOrThrow({ where, select: { graceUntil: true } })).graceUntil;
}

type Written = {
  before: Row;
  after: Row;
  changed: (keyof Facts)[];
  live: ProcessorSubscription | null;
  /** The caller's own word, where nobody else has told what it asked for. */
  asked: Word | null;
  /** The word that this change is what was asked for by. */
  done: Word | undefined;
};

/** Tells a change once, in the name of who asked for it. */
async function note(
  tx: Tx,
  ctx: Context,
  { before, after, changed, live, asked, done }: Written,
  cause: Cause,
): Promise<void> {
  const payload = presentSubscription(ctx, after);
  const about = {
    object: { type: 'Subscription', id: after.id },
    patientId: after.patientId,
    isNews: true,
    payload,
  } as const;
  const isToldAlready = cause.word !== undefined && !asked;
  if (changed.length > 0) {
    const isOthers = done !== undefined && done !== asked;
    const { action, details } = isOthers ? done : isToldAlready ? {} : cause;
    await record(tx, isOthers ? inNameOf(ctx, done) : action ? ctx : inOwnName(ctx, 'sync_subscription'), {
      ...about,
      action: action ?? 'subscriptions.sync',
      event: eventOf(before.status, after.status),
      details: { ...details, changed, status: after.status, ...(!live && { missing_at_stripe: true }) },
    });
  } else if (cause.action && !isToldAlready)
    await record(tx, ctx, { ...about, action: cause.action, details: cause.details ?? {} });
  if (!cause.action || !isToldAlready) return;
  // Another reading has told it in the caller's name already.
  ctx.trail.hasEntry = true;
  await keepOutcome(tx, ctx, { action: cause.action, payload, isNews: true });
}

/** What Stripe has no more can only have ended; the rest stays as it was last. */
const gone = (before: Row, at: Date): Pick<Facts, 'status' | 'canceledAt' | 'endedAt'> => ({
  status: hasEnded(before) ? before.status : 'canceled',
  canceledAt: before.canceledAt ?? at,
  endedAt: before.endedAt ?? at,
});

/** Tells what stored events say of a subscription, whose row the caller holds. */
export async function tellHeard(tx: Tx, ctx: Context, row: Row, heard: Heard[], action = 'subscriptions.sync') {
  const about = { object: { type: 'Subscription', id: row.id }, patientId: row.patientId, isNews: true as const };
  for (const { id, notice } of heard)
    if ((await firstTime(tx, ctx, id)) && notice) {
      const details = notice === 'subscription.payment_failed' ? await lastTry(tx, row) : {};
      await record(tx, ctx, { ...about, action, event: notice, details, payload: presentSubscription(ctx, row) });
    }
}

/** Marks the inbound event as dealt with, in the transaction of what it led to. */
async function firstTime(tx: Tx, ctx: Context, inboundId: string): Promise<boolean> {
  const { count } = await tx.inboundEvent.updateMany({
    where: { tenantId: ctx.tenantId, provider: 'stripe', id: inboundId, processedAt: null },
    data: { processedAt: ctx.clock.now(), lastError: null },
  });
  return count > 0;
}

const RUNNING = new Set(['active', 'trialing']);

/** The event of a change: the last thing that happened to the status, else that something was updated. */
function eventOf(before: string, after: string): EventName {
  if (before === after) return 'subscription.updated';
  if (after === 'canceled') return 'subscription.canceled';
  if (after === 'incomplete_expired') return 'subscription.expired';
  return RUNNING.has(after) && !RUNNING.has(before) ? 'subscription.activated' : 'subscription.updated';
}

/** What a patient is asked for on the page of a payment link: how much, for what, and how often. */
function termsOf(row: Row): string {
  const invoice = row.latestInvoice as Facts['latestInvoice'];
  const items = (row.items as Facts['items']).map(({ price_id, quantity }) => [price_id, quantity]);
  const { currency, billingPeriod, billingInterval } = row;
  const price = row.planPrice === null ? null : Number(row.planPrice);
  return JSON.stringify([items, price, currency, billingPeriod, billingInterval, invoice?.id, invoice?.amount_due]);
}

/**
 * Ends payment links with what they were made for, in the transaction that writes the change. Once that is paid or saved,
 * or cannot be any more, a link tells only how it went, and nothing that opens it is kept; with other terms it opens
 * nothing, so that nobody agrees to another sum than they were sent.
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

export type Owner = Pick<Row, 'accountId' | 'patientId' | 'createdByClientId'> & {
  intentId: string | null;
  allowPromotionCodes?: boolean | undefined;
};

/**
 * Takes a processor subscription into our records and closes the intent it came from. False when it was there already;
 * then nothing is written but the intent.
 */
export async function adoptSubscription(
  ctx: Context,
  live: ProcessorSubscription,
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
    if (hasGrace(row)) await reckonGrace(tx, ctx, row);
    await tx.unknownSubscription.deleteMany({ where: { tenantId: ctx.tenantId, id: live.id } });
    // What Stripe told of it while it was being made is newer than what is kept here.
    const waiting = { tenantId: ctx.tenantId, provider: 'stripe', objectId: live.id, processedAt: null };
    if ((await tx.inboundEvent.count({ where: waiting })) > 0) await queueApplying(tx, ctx, live.id, now);
    if (found) await noteRepair(tx, ctx, { accountId, objectId: live.id, foundBy: found, what: 'adopted' });
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
    if (!hasEnded(row)) await endIfTooLate(tx, ctx, patientId);
    return true;
  });
}
