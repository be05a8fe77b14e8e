import { enqueue } from '#server/core/jobs.ts';
import { listUntold } from '#server/customers/customer.ts';
import { inspectStripe } from '#server/integrations/inspect-stripe.ts';
import { saveCheck } from '#server/integrations/save-check.ts';
import { queueCustomerUpdate } from '#server/patients/queue-customer-update.ts';
import { loadPlans } from '#server/plans/load-plans.ts';
import { StripeRefusal } from '#server/providers/stripe.ts';
import { PAGE, stripeListsOf } from '#server/providers/stripe-lists.ts';
import { ENDED } from '#server/subscriptions/records/subscription.ts';
import { compareListed, type Different } from './compare-listed.ts';
import { comparePayments } from './compare-payments.ts';
import type { Step } from './step.ts';

/** Number of steps that a comparison takes, and number of steps after which the next one starts. */
const STEPS_A_PASS = 8;
const STEPS_BETWEEN = 9;
/** Maximum number of unlisted subscriptions that are read per step. */
const MOST_MISSING = 1000;

/** Continues the comparison of an account's subscriptions, or starts a new one when it is due. */
export async function comparePages(step: Step): Promise<void> {
  if (!isRunning(step)) {
    if (!isDue(step)) return;
    await beginPass(step);
  }
  const { ctx, accountId } = step;
  const names = await namesOf(step);
  const pages = await pagesAStep(step);
  for (let page = 0; page < pages; page++) {
    const readAt = ctx.clock.now();
    const listed = await stripeListsOf(ctx)
      .subscriptions(accountId, step.state.passAfter)
      .catch((error: unknown) => {
        // The subscription at the cursor no longer exists.
        if (error instanceof StripeRefusal && error.reason === 'resource_missing') return null;
        throw error;
      });
    if (!listed) return step.keep({ passStartedAt: null, passAfter: null });
    const different = await compareListed(ctx, accountId, { items: listed.items, readAt, names });
    await queueJobs(step, different);
    await step.keep({
      passAfter: listed.last ?? step.state.passAfter,
      passPages: { increment: 1 },
      compared: { increment: listed.items.length },
      differing: { increment: different.subscriptions.length + different.patients.length },
    });
    if (!listed.hasMore) return endPass(step);
  }
}

const isRunning = ({ state: { passStartedAt, passEndedAt } }: Step): boolean =>
  passStartedAt !== null && (passEndedAt === null || passEndedAt < passStartedAt);

const isDue = ({ ctx, state: { passStartedAt }, stepMs }: Step): boolean =>
  passStartedAt === null || ctx.clock.now().getTime() - passStartedAt.getTime() >= (STEPS_BETWEEN - 0.5) * stepMs;

/** The account and its prices are inspected once per comparison; problems become findings. */
async function beginPass(step: Step): Promise<void> {
  const { ctx, accountId } = step;
  await saveCheck(ctx, 'stripe', await inspectStripe(ctx, accountId));
  await loadPlans(ctx, accountId, { fresh: true });
  const passStartedAt = ctx.clock.now();
  await step.keep({ passStartedAt, passAfter: null, passPages: 0, compared: 0, differing: 0 });
  // After the pass has started, so that an error with payments delays the pages by one step only.
  await comparePayments(step);
}

/** Product names by price, which lists of subscriptions leave out. */
async function namesOf({ ctx, accountId }: Step): Promise<Map<string, string>> {
  const plans = await loadPlans(ctx, accountId);
  return new Map(plans.map(({ price_id, name }) => [price_id, name]));
}

async function pagesAStep({ ctx: { db, tenantId }, accountId }: Step): Promise<number> {
  const where = { tenantId, accountId };
  // Stripe's list leaves out canceled ones only; it includes those that expired unpaid.
  const kept = await db.subscription.count({ where: { ...where, status: { not: 'canceled' } } });
  const unknown = await db.unknownSubscription.count({ where });
  return Math.ceil(Math.ceil((kept + unknown + 1) / PAGE) / STEPS_A_PASS);
}

/** Subscriptions that Stripe did not list have ended or are gone: each is read singly. */
async function endPass(step: Step): Promise<void> {
  const { ctx, accountId } = step;
  const { passStartedAt } = step.state;
  const unseen = await ctx.db.subscription.findMany({
    where: {
      tenantId: ctx.tenantId,
      accountId,
      status: { notIn: ENDED },
      createdAt: { lt: passStartedAt! },
      OR: [{ checkedAt: null }, { checkedAt: { lt: passStartedAt! } }],
    },
    select: { id: true },
    take: MOST_MISSING,
  });
  const patients = await listUntold(ctx, accountId);
  await queueJobs(step, { subscriptions: unseen.map(({ id }) => id), patients });
  await ctx.db.unknownSubscription.deleteMany({
    where: { tenantId: ctx.tenantId, accountId, seenAt: { lt: passStartedAt! } },
  });
  await step.keep({ passEndedAt: ctx.clock.now(), passAfter: null });
}

/**
 * Queues a job for each difference. Delayed by one step, because the webhook may be on its way, and spaced so that the
 * jobs stay within the request rate of the comparison.
 */
async function queueJobs({ ctx, state, stepMs }: Step, { subscriptions, patients }: Different): Promise<void> {
  const { tenantId, db } = ctx;
  const spacingMs = 10_000 / ctx.config.stripe.requestsPerSecond;
  let at = Math.max(ctx.clock.now().getTime() + stepMs, state.passStartedAt!.getTime() + state.differing * spacingMs);
  const next = () => {
    const runAt = new Date(at);
    at += spacingMs;
    return runAt;
  };
  for (const subscriptionId of subscriptions) {
    const key = `refresh_subscription:${subscriptionId}`;
    const job = { tenantId, subscriptionId, found: 'comparison' as const };
    await enqueue(db, 'refresh_subscription', job, { runAt: next(), key, keepEarlier: true });
  }
  for (const patientId of patients) await db.$transaction((tx) => queueCustomerUpdate(tx, ctx, patientId, next()));
}
