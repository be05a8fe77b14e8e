import { isDeepStrictEqual } from 'node:util';
import { Prisma, type Subscription as Row } from '#generated/prisma/client.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { type EventName, record } from '#server/core/record.ts';
import { endIfTooLate } from '#server/patients/queue-end-of-care.ts';
import { type ProcessorSubscription, stripeOf } from '#server/providers/stripe.ts';
import { type Facts, hasEnded, presentSubscription, subscriptionColumns } from '../records/subscription.ts';
import { endLinks } from './end-links.ts';

export type Cause = {
  /** For the audit log; `subscriptions.sync` unless a caller's verb is behind it. */
  action?: string;
  details?: Record<string, unknown>;
  /** Something that happened besides the change; told once for each stored inbound event. */
  notice?: EventName;
  inboundId?: string;
};
export type Synced = { row: Row; live: ProcessorSubscription };

/**
 * Makes our copy what the processor says now. A ticket is drawn before the reading and only the highest one is ever
 * written, so readings that overtake one another leave the newest; events may come in any order and any number
 * (guarantees.md, S1).
 */
export async function syncSubscription(ctx: Context, id: string, cause: Cause = {}): Promise<Synced> {
  const [drawn] = await ctx.db.$queryRaw<{ ticket: bigint; account_id: string }[]>`
    update subscriptions set ticket = ticket + 1
    where tenant_id = ${ctx.tenantId}::uuid and id = ${id} returning ticket, account_id`;
  if (!drawn) throw notFound('subscription');
  const live = await stripeOf(ctx).getSubscription(drawn.account_id, id);
  const row = await ctx.db.$transaction((tx) => write(tx, ctx, id, drawn.ticket, live, cause));
  return { row, live };
}

async function write(
  tx: Tx,
  ctx: Context,
  id: string,
  ticket: bigint,
  live: ProcessorSubscription,
  cause: Cause,
): Promise<Row> {
  await tx.$queryRaw`select 1 from subscriptions where tenant_id = ${ctx.tenantId}::uuid and id = ${id} for update`;
  const where = { tenantId_id: { tenantId: ctx.tenantId, id } };
  const before = await tx.subscription.findUniqueOrThrow({ where });
  const facts = subscriptionColumns(live);
  const changed = before.syncedTicket < ticket ? changedFacts(factsOf(before), facts) : [];
  const after =
    before.syncedTicket < ticket
      ? await tx.subscription.update({
          where,
          data: {
            ...toData(facts),
            syncedTicket: ticket,
            updatedAt: changed.length > 0 ? ctx.clock.now() : before.updatedAt,
          },
        })
      : before;

  if (changed.length > 0) await endLinks(tx, ctx, before, after);
  const about = { object: { type: 'Subscription', id }, patientId: after.patientId, isNews: true as const };
  const payload = presentSubscription(ctx, after);
  const { action = 'subscriptions.sync' } = cause;
  if (changed.length > 0)
    await record(tx, ctx, {
      ...about,
      action,
      event: eventOf(before.status, after.status),
      payload,
      details: { ...cause.details, changed, status: after.status },
    });
  else if (cause.action) await record(tx, ctx, { ...about, action, payload, details: cause.details ?? {} });
  if (cause.inboundId && (await firstTime(tx, ctx, cause.inboundId)) && cause.notice)
    await record(tx, ctx, { ...about, action, event: cause.notice, payload });
  return after;
}

/** Marks the inbound event as dealt with, in the transaction of what it led to. */
async function firstTime(tx: Tx, ctx: Context, inboundId: string): Promise<boolean> {
  const { count } = await tx.inboundEvent.updateMany({
    where: { tenantId: ctx.tenantId, provider: 'stripe', id: inboundId, processedAt: null },
    data: { processedAt: ctx.clock.now(), lastError: null },
  });
  return count > 0;
}

/** The processor's columns of a row, in the form of `subscriptionColumns`. */
const factsOf = (row: Row): Facts => row as unknown as Facts;

/** Facts as Prisma writes them: an empty JSON column is NULL. */
const toData = (facts: Facts) => ({
  ...facts,
  discount: facts.discount ?? Prisma.DbNull,
  latestInvoice: facts.latestInvoice ?? Prisma.DbNull,
  pendingSetupIntent: facts.pendingSetupIntent ?? Prisma.DbNull,
});

const RUNNING = new Set(['active', 'trialing']);

/** Names of the columns that differ. */
const changedFacts = (before: Facts, after: Facts): (keyof Facts)[] =>
  (Object.keys(after) as (keyof Facts)[]).filter((key) => !isDeepStrictEqual(before[key], after[key]));

/** The event of a change: the last thing that happened to the status, else that something was updated. */
function eventOf(before: string, after: string): EventName {
  if (before === after) return 'subscription.updated';
  if (after === 'canceled') return 'subscription.canceled';
  if (after === 'incomplete_expired') return 'subscription.expired';
  return RUNNING.has(after) && !RUNNING.has(before) ? 'subscription.activated' : 'subscription.updated';
}

export type Owner = { accountId: string; patientId: string; createdByClientId: string | null; intentId: string | null };

/**
 * Takes a processor subscription into our records and closes the intent it came from. False when it was there already;
 * then nothing is written but the intent.
 */
export async function adoptSubscription(ctx: Context, live: ProcessorSubscription, owner: Owner): Promise<boolean> {
  const { accountId, patientId, createdByClientId, intentId } = owner;
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
          id: live.id,
          tenantId: ctx.tenantId,
          accountId,
          patientId,
          createdByClientId,
          createdAt: now,
          updatedAt: now,
        },
      ],
      skipDuplicates: true,
    });
    if (!row) return false;
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

/** Reads one subscription anew, in the background. */
export async function refreshSubscription(services: Services, job: Jobs['refresh_subscription']): Promise<void> {
  await syncSubscription(systemContext(services, job.tenantId, 'refresh_subscription'), job.subscriptionId);
}
