import { SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import {
  findStripeAccount,
  isRelevantEvent,
  recordStripeSilence,
  refreshStripeAccount,
  storeEvent,
} from '#server/integrations/index.ts';
import type { Event } from '#server/providers/stripe.ts';
import { compareSubscriptions } from './compare-subscriptions.ts';
import { logStepError, type Step } from './step.ts';

/** Steps within the bound; a difference takes one more step to be applied. */
const STEPS = 12;
/** Longer than a page takes. After a crash, the account is blocked for this long. */
const LEASE_MS = 30 * SECOND;

/** Milliseconds between two steps, from the configured bound. */
export const stepMs = ({ config }: Pick<Services, 'config'>): number => config.stripe.reconcileMs / STEPS;
export const keyOf = (tenantId: string): string => `reconcile_stripe:${tenantId}`;

export const queueStep = (db: Pick<Tx, '$executeRaw'>, tenantId: string, runAt: Date): Promise<void> =>
  enqueue(db, 'reconcile_stripe', { tenantId }, { runAt, key: keyOf(tenantId) });

/**
 * Runs one step of the comparison that makes up for lost webhooks: reads the events listed at Stripe since the last
 * step, and compares some of the account's subscriptions, so that each is compared within the bound
 * (`STRIPE_RECONCILE_SECONDS`). Progress is stored after each page, so a crashed step is continued. A lease allows one
 * runner per clinic. Errors of Stripe are noted and left to the next step, which is always queued.
 */
export async function reconcileStripe(services: Services, { tenantId }: Jobs['reconcile_stripe']): Promise<void> {
  const ctx = { ...systemContext(services, tenantId, 'reconcile_stripe'), pace: services.providers.stripePace };
  const accountId = await findStripeAccount(ctx);
  // Once an account is connected, its steps are queued again.
  if (!accountId) return;
  const startedAt = ctx.clock.now().getTime();
  const step = await takeLease(ctx, accountId);
  if (step) {
    const lastError = await runStep(step)
      .then(() => null)
      .catch((error: unknown) => lastErrorOf(step, error))
      .catch((error: unknown) => logStepError(ctx, error));
    await ctx.db.stripeReconcile.updateMany({
      where: step.where,
      data: { runner: null, leasedUntil: null, lastRunAt: ctx.clock.now(), lastError },
    });
  }
  // Counted from the start, so that many subscriptions take the same time as few.
  await queueStep(ctx.db, tenantId, new Date(startedAt + stepMs(ctx)));
}

async function runStep(step: Step): Promise<void> {
  await storeMissedEvents(step);
  await compareSubscriptions(step);
  await recordStripeSilence(step.ctx, step.accountId);
}

/** Returns the error for the portal. */
async function lastErrorOf({ ctx, accountId }: Step, error: unknown): Promise<string> {
  if (error instanceof CarelaneError && error.code === 'integration_not_connected')
    await refreshStripeAccount(ctx, accountId, true);
  return logStepError(ctx, error);
}

/** Returns null while another runner has the lease. */
async function takeLease(ctx: Context, accountId: string): Promise<Step | null> {
  const { tenantId, db } = ctx;
  const now = ctx.clock.now();
  const runner = newId(now);
  const until = () => new Date(ctx.clock.now().getTime() + LEASE_MS);
  await db.stripeReconcile.createMany({ data: [{ tenantId, accountId }], skipDuplicates: true });
  const [state] = await db.stripeReconcile.updateManyAndReturn({
    where: { tenantId, accountId, OR: [{ leasedUntil: null }, { leasedUntil: { lt: now } }] },
    data: { runner, leasedUntil: until() },
  });
  if (!state) return null;
  const where = { tenantId, accountId, runner };
  const step: Step = {
    ctx,
    accountId,
    where,
    state,
    stepMs: stepMs(ctx),
    async save(data) {
      const [saved] = await db.stripeReconcile.updateManyAndReturn({ where, data: { ...data, leasedUntil: until() } });
      if (!saved) throw new Error('another runner has taken over');
      step.state = saved;
    },
  };
  return step;
}

/** Pages per step; the next step continues. */
const MAX_PAGES = 10;

/**
 * Stores the events that Stripe lists and that no webhook has delivered. They are applied one step later, because the
 * webhook may be on its way. Each step starts where the last but one ended, so that events listed late are seen too.
 */
async function storeMissedEvents(step: Step): Promise<void> {
  const { ctx, accountId, state, stepMs } = step;
  const { lists } = ctx.providers.stripeClient(ctx);
  let cursorId = state.previousEventId ?? state.lastEventId;
  for (let page = 0; page < MAX_PAGES; page++) {
    const read = await lists.eventsAfter(accountId, cursorId);
    if (!read) {
      // The event is older than Stripe's retention; the comparison has found its changes.
      await step.save({ lastEventId: null, previousEventId: null });
      return;
    }
    // On the first run, earlier changes are found by the comparison.
    if (cursorId !== null)
      for (const event of await missedOf(step, read.events))
        await storeEvent(ctx, ctx.tenantId, { accountId, event, found: { waitMs: stepMs } });
    cursorId = read.newest;
    if (!read.hasMore) break;
  }
  if (cursorId !== state.lastEventId || state.previousEventId !== state.lastEventId)
    await step.save({ lastEventId: cursorId, previousEventId: state.lastEventId ?? cursorId });
}

/** Events that concern this service and are not stored yet. */
async function missedOf({ ctx, accountId }: Step, listed: Event[]): Promise<Event[]> {
  const relevant = listed
    .map((event) => ({ ...event, account: accountId }))
    .filter((event) => isRelevantEvent(ctx, event));
  const stored = await ctx.db.inboundEvent.findMany({
    where: { tenantId: ctx.tenantId, provider: 'stripe', id: { in: relevant.map(({ id }) => id) } },
    select: { id: true },
  });
  const storedIds = new Set(stored.map(({ id }) => id));
  return relevant.filter(({ id }) => !storedIds.has(id));
}
