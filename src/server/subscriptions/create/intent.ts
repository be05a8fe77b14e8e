import type { SubscriptionIntent } from '#generated/prisma/client.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { lockRequest, sameSince } from '#server/core/same-request.ts';
import { holdInCare } from '#server/patients/in-care.ts';
import { type ProcessorSubscription, stripeOf } from '#server/providers/stripe.ts';
import { addIntervals } from '../records/subscription.ts';
import { adoptSubscription, syncSubscription } from '../sync/sync-subscription.ts';

/** By then the create has answered or died; a job looks at what became of it. */
const RESOLVE_AFTER = 2 * MINUTE;

/** The key in the processor's metadata that names our intent. */
export const INTENT_KEY = 'carelane_intent';

/** What a create set out to do, kept with its intent so that it can be finished by anybody. */
export type IntentPlan = {
  wish: { patientId: string; priceIds: string[]; cancelAtPeriodEnd: boolean; promotionCode: string | null };
  trialDays: number | null;
  promotionCodeId: string | null;
  /** `trial`: ends one interval after the trial, which is set once the processor has said when the trial ends. */
  cancelAfter: 'never' | 'period' | 'trial';
  createdByClientId: string | null;
};

export type Intent = SubscriptionIntent & { params: IntentPlan };

/** Answered as the same subscription by an equal request: it waits for its payment, or runs. */
const LIVE = ['incomplete', 'trialing', 'active'];

/**
 * What this credential set out to do earlier: under the same Idempotency-Key, or without one by an equal request of a
 * moment ago, unless that has ended or came to nothing.
 */
export async function findIntent(ctx: Context, asked: string): Promise<Intent | null> {
  if (!ctx.keyed) return findSame(ctx.db, ctx, asked);
  const where = { tenantId: ctx.tenantId, requestKey: ctx.keyed.id };
  const found = (await ctx.db.subscriptionIntent.findFirst({ where })) as Intent | null;
  if (found && found.asked !== asked)
    throw refuse('idempotency_key_reused', 'This Idempotency-Key was used with another request.', {
      source: { parameter: 'Idempotency-Key' },
    });
  return found;
}

async function findSame(
  db: Pick<Tx, 'subscription' | 'subscriptionIntent'>,
  ctx: Context,
  asked: string,
): Promise<Intent | null> {
  const { tenantId } = ctx;
  const intents = await db.subscriptionIntent.findMany({
    where: { tenantId, asked, status: { in: ['pending', 'done'] }, createdAt: { gte: sameSince(ctx) } },
    orderBy: { createdAt: 'desc' },
  });
  const made = intents.flatMap(({ subscriptionId }) => subscriptionId ?? []);
  const where = { tenantId, id: { in: made }, status: { in: LIVE } };
  const live = made.length === 0 ? [] : await db.subscription.findMany({ where, select: { id: true } });
  const found = intents.find(
    ({ status, subscriptionId }) => status === 'pending' || live.some(({ id }) => id === subscriptionId),
  );
  return (found ?? null) as Intent | null;
}

/** Commits the plan before anything is asked of the processor. `isNew` is false when a twin of this call was first. */
export async function openIntent(
  ctx: Context,
  accountId: string,
  { plan, asked }: { plan: IntentPlan; asked: string },
): Promise<{ intent: Intent; isNew: boolean }> {
  const now = ctx.clock.now();
  const id = newId(now);
  const data = {
    id,
    tenantId: ctx.tenantId,
    patientId: plan.wish.patientId,
    accountId,
    requestKey: ctx.keyed?.id ?? `once:${id}`,
    asked,
    params: plan,
    createdAt: now,
    updatedAt: now,
  };
  return ctx.db.$transaction(async (tx) => {
    if (!ctx.keyed) {
      await lockRequest(tx, ctx, asked);
      const same = await findSame(tx, ctx, asked);
      if (same) return { intent: same, isNew: false };
    }
    await holdInCare(tx, ctx, data.patientId);
    const [made] = await tx.subscriptionIntent.createManyAndReturn({ data: [data], skipDuplicates: true });
    if (made) {
      await resolveLater(tx, ctx, made.id);
      return { intent: made as Intent, isNew: true };
    }
    const where = { tenantId: ctx.tenantId, requestKey: data.requestKey };
    return { intent: (await tx.subscriptionIntent.findFirstOrThrow({ where })) as Intent, isNew: false };
  });
}

/** Has what a request set out to do earlier tried again: it is under way from now on, for whoever asks. */
export async function reopenIntent(ctx: Context, intent: Intent): Promise<Intent> {
  if (intent.status === 'done') return intent;
  return ctx.db.$transaction(async (tx) => {
    await holdInCare(tx, ctx, intent.patientId);
    const where = { tenantId: ctx.tenantId, id: intent.id };
    await tx.subscriptionIntent.updateMany({
      where: { ...where, status: { not: 'done' } },
      data: { status: 'pending', updatedAt: ctx.clock.now() },
    });
    await resolveLater(tx, ctx, intent.id);
    return (await tx.subscriptionIntent.findFirstOrThrow({ where })) as Intent;
  });
}

const resolveLater = (tx: Tx, { tenantId, clock }: Context, intentId: string): Promise<void> =>
  enqueue(
    tx,
    'resolve_subscription',
    { tenantId, intentId },
    { runAt: new Date(clock.now().getTime() + RESOLVE_AFTER), key: `resolve_subscription:${intentId}` },
  );

/** Somebody is at it, or died at it a moment ago. */
export const isAtWork = (ctx: Pick<Context, 'clock'>, { status, updatedAt }: Intent): boolean =>
  status === 'pending' && ctx.clock.now().getTime() - updatedAt.getTime() < RESOLVE_AFTER;

/** When somebody else looks at what became of it, should nobody have by then. */
export const outcomeAt = ({ updatedAt }: Intent): Date => new Date(updatedAt.getTime() + RESOLVE_AFTER + 1 * SECOND);

/**
 * The second half of an intent whose object exists: sets the end after the first paid period where it was asked for
 * (the processor's own flag would end a trial unpaid), then keeps the subscription. May be repeated.
 */
export async function finishIntent(
  ctx: Context,
  intent: Intent,
  made: ProcessorSubscription,
): Promise<ProcessorSubscription> {
  const { accountId, patientId, params: plan } = intent;
  let live = made;
  if (plan.cancelAfter === 'trial' && live.trialEnd && !live.cancelAt && intent.status !== 'done') {
    const { interval, interval_count } = live.recurring;
    const stripe = stripeOf(ctx);
    await stripe.scheduleCancel(accountId, live.id, addIntervals(live.trialEnd, interval, interval_count));
    live = await stripe.getSubscription(accountId, live.id);
  }
  const owner = { accountId, patientId, createdByClientId: plan.createdByClientId, intentId: intent.id };
  if (await adoptSubscription(ctx, live, owner)) return live;
  return (await syncSubscription(ctx, live.id)).live ?? live;
}

/**
 * Looks up what became of a create that never answered: finishes it when the processor has it, else closes the intent.
 * A later retry of the same request opens it again.
 */
export async function resolveSubscription(services: Services, job: Jobs['resolve_subscription']): Promise<void> {
  const ctx = systemContext(services, job.tenantId, 'resolve_subscription');
  const id = { tenantId: job.tenantId, id: job.intentId };
  const intent = (await ctx.db.subscriptionIntent.findFirst({ where: id })) as Intent | null;
  if (intent?.status !== 'pending') return;
  const { accountId, patientId } = intent;
  const customer = await ctx.db.processorCustomer.findFirst({
    where: { tenantId: job.tenantId, patientId, accountId },
  });
  const stripe = stripeOf(ctx);
  const found = customer && (await stripe.findSubscription(accountId, customer.customerId, INTENT_KEY, intent.id));
  if (found) await finishIntent(ctx, intent, await stripe.getSubscription(accountId, found));
  else await ctx.db.subscriptionIntent.updateMany({ where: { ...id, status: 'pending' }, data: { status: 'failed' } });
}
