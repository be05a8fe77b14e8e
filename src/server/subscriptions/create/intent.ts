import type { Subscription, SubscriptionIntent } from '#generated/prisma/client.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { duplicatesSince, lockRequest } from '#server/core/duplicate-request.ts';
import { apiError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { isFormerAccountError } from '#server/integrations/index.ts';
import { lockInCare } from '#server/patients/index.ts';
import {
  assertTrialAvailable,
  findDuplicates,
  lockPatient,
  pendingDuplicateError,
  type TrialClaim,
} from '#server/plans/index.ts';
import type { StripeSubscription, TrialEnd } from '#server/providers/stripe.ts';
import { addIntervals, type Facts } from '../records/subscription.ts';
import { adoptSubscription, syncSubscription } from '../sync/sync-subscription.ts';

/** By then the create has finished or crashed; a job looks up its outcome. */
const RESOLVE_AFTER = 2 * MINUTE;

/** The key in Stripe's metadata that names our intent. */
export const INTENT_KEY = 'carelane_intent';

/** The plan of a create, stored with its intent so that any later request or job can finish it. */
export type IntentPlan = TrialClaim & {
  wish: {
    patientId: string;
    priceIds: string[];
    cancelAtPeriodEnd: boolean;
    promotionCode: string | null;
    coupon: string | null;
    allowPromotionCodes?: boolean;
  };
  /** For a trial: what happens when it ends without a card. */
  trialEnd?: TrialEnd | undefined;
  promotionCodeId: string | null;
  /** `trial`: ends one interval after the trial; set once Stripe has returned the end of the trial. */
  cancelAfter: 'never' | 'period' | 'trial';
  createdByClientId: string | null;
  /** Allows another live subscription with one of these prices. */
  allowDuplicate: boolean;
};

export type Intent = SubscriptionIntent & { params: IntentPlan };

/** Statuses of a subscription that an equal request returns again. */
const LIVE = ['incomplete', 'trialing', 'active'];

/**
 * Finds an earlier intent of this credential: under the same Idempotency-Key, or without a key an equal recent request
 * that has neither ended nor failed.
 * @throws `idempotency_key_reused` when the key was used with another request
 */
export async function findIntent(ctx: Context, fingerprint: string): Promise<Intent | null> {
  if (!ctx.keyed) return findSame(ctx.db, ctx, fingerprint);
  const where = { tenantId: ctx.tenantId, requestKey: ctx.keyed.id };
  const intent = (await ctx.db.subscriptionIntent.findFirst({ where })) as Intent | null;
  if (intent && intent.asked !== fingerprint)
    throw apiError('idempotency_key_reused', 'This Idempotency-Key was used with another request.', {
      source: { parameter: 'Idempotency-Key' },
    });
  return intent;
}

export const billOf = ({ latestInvoice }: Pick<Subscription, 'latestInvoice'>) =>
  latestInvoice as Facts['latestInvoice'];

/** True when an incomplete subscription can no longer be paid: a request that was ending it was interrupted. */
export const isBillVoid = (row: Pick<Subscription, 'latestInvoice'>): boolean => billOf(row)?.status === 'void';

async function findSame(
  db: Pick<Tx, 'subscription' | 'subscriptionIntent'>,
  ctx: Context,
  fingerprint: string,
): Promise<Intent | null> {
  const { tenantId } = ctx;
  const intents = await db.subscriptionIntent.findMany({
    where: {
      tenantId,
      asked: fingerprint,
      status: { in: ['pending', 'done'] },
      createdAt: { gte: duplicatesSince(ctx) },
    },
    orderBy: { createdAt: 'desc' },
  });
  const subscriptionIds = intents.flatMap(({ subscriptionId }) => subscriptionId ?? []);
  const where = { tenantId, id: { in: subscriptionIds }, status: { in: LIVE } };
  const rows = subscriptionIds.length === 0 ? [] : await db.subscription.findMany({ where });
  const live = rows.filter((row) => row.status !== 'incomplete' || !isBillVoid(row));
  const match = intents.find(
    ({ status, subscriptionId }) => status === 'pending' || live.some(({ id }) => id === subscriptionId),
  );
  return (match ?? null) as Intent | null;
}

/** A subscription that has one of the prices. `isSame`: it is incomplete and equals the request. */
export type Blocking = { subscription: Subscription; isSame: boolean };
export type OpenedIntent = { intent: Intent; isNew: boolean } | Blocking;

/**
 * Commits the plan before Stripe is called. `isNew` is false when a concurrent equal request came first. No intent is
 * opened next to a subscription that has one of the prices, unless `allowDuplicate` is set.
 */
export async function openIntent(
  ctx: Context,
  accountId: string,
  { plan, fingerprint }: { plan: IntentPlan; fingerprint: string },
): Promise<OpenedIntent> {
  const now = ctx.clock.now();
  const id = newId(now);
  const data = {
    id,
    tenantId: ctx.tenantId,
    patientId: plan.wish.patientId,
    accountId,
    requestKey: ctx.keyed?.id ?? `once:${id}`,
    asked: fingerprint,
    params: plan,
    createdAt: now,
    updatedAt: now,
  };
  return ctx.db.$transaction(async (tx) => {
    if (!ctx.keyed) {
      await lockRequest(tx, ctx, fingerprint);
      const same = await findSame(tx, ctx, fingerprint);
      if (same) return { intent: same, isNew: false };
    }
    const other = await findOther(tx, ctx, plan);
    if (other) return other;
    await assertTrialAvailable(tx, ctx, plan, { accountId, patientId: data.patientId });
    await lockInCare(tx, ctx, data.patientId);
    const [created] = await tx.subscriptionIntent.createManyAndReturn({ data: [data], skipDuplicates: true });
    if (created) {
      await resolveLater(tx, ctx, created.id);
      return { intent: created as Intent, isNew: true };
    }
    const where = { tenantId: ctx.tenantId, requestKey: data.requestKey };
    return { intent: (await tx.subscriptionIntent.findFirstOrThrow({ where })) as Intent, isNew: false };
  });
}

/**
 * Finds what the patient has, or is about to have, of these prices; serialises the patient's requests until the end of
 * the transaction. An equal pending intent is joined; a different one is a conflict.
 */
async function findOther(tx: Tx, ctx: Context, plan: IntentPlan, selfId?: string): Promise<OpenedIntent | null> {
  const { tenantId } = ctx;
  const { wish } = plan;
  await lockPatient(tx, ctx, wish.patientId);
  if (plan.allowDuplicate) return null;
  const owner = { tenantId, patientId: wish.patientId };
  const orderBy = { createdAt: 'asc' as const };
  const duplicates = await findDuplicates(tx, ctx, wish);
  const started = duplicates.find(({ status }) => status !== 'incomplete');
  if (started) return { subscription: started, isSame: false };

  const ids = duplicates.map(({ id }) => id);
  const where = {
    ...owner,
    OR: [{ status: 'pending' }, { subscriptionId: { in: ids } }],
    ...(selfId && { id: { not: selfId } }),
  };
  const intents = (await tx.subscriptionIntent.findMany({ where, orderBy })) as Intent[];
  const equalIntents = intents.filter(({ params }) => isSameWish(params.wish, wish));
  const unpaid = duplicates.find(({ id }) => equalIntents.some(({ subscriptionId }) => subscriptionId === id));
  if (unpaid) return { subscription: unpaid, isSame: true };
  const pendingEqual = equalIntents.find(({ status }) => status === 'pending');
  if (pendingEqual) return { intent: pendingEqual, isNew: false };
  const sharesPrice = ({ params }: Intent) => params.wish.priceIds.some((id) => wish.priceIds.includes(id));
  if (intents.some((intent) => intent.status === 'pending' && sharesPrice(intent))) throw pendingDuplicateError();
  return duplicates[0] ? { subscription: duplicates[0], isSame: false } : null;
}

/** `findOther` without opening an intent, for purchases that start elsewhere; throws when a create is pending. */
export async function findBlocking(ctx: Context, accountId: string, plan: IntentPlan): Promise<Blocking | null> {
  const other = await ctx.db.$transaction(async (tx) => {
    const blocking = await findOther(tx, ctx, plan);
    if (!blocking) await assertTrialAvailable(tx, ctx, plan, { accountId, patientId: plan.wish.patientId });
    return blocking;
  });
  if (other && 'intent' in other) throw pendingDuplicateError();
  return other;
}

function isSameWish(a: IntentPlan['wish'], b: IntentPlan['wish']): boolean {
  const asText = (wish: IntentPlan['wish']) =>
    JSON.stringify([
      wish.priceIds.toSorted(),
      wish.cancelAtPeriodEnd,
      wish.promotionCode?.toLowerCase() ?? null,
      wish.coupon,
      wish.allowPromotionCodes === true,
    ]);
  return asText(a) === asText(b);
}

/**
 * Reopens an earlier intent and marks it as being worked on. A failed intent reserves nothing, so another subscription
 * may block it now.
 */
export async function reopenIntent(ctx: Context, intent: Intent): Promise<OpenedIntent> {
  if (intent.status === 'done') return { intent, isNew: false };
  return ctx.db.$transaction(async (tx) => {
    const other = intent.status === 'failed' ? await findOther(tx, ctx, intent.params, intent.id) : null;
    if (other) return other;
    const { accountId, id, patientId, params } = intent;
    if (intent.status === 'failed') await assertTrialAvailable(tx, ctx, params, { accountId, patientId, selfId: id });
    await lockInCare(tx, ctx, patientId);
    const where = { tenantId: ctx.tenantId, id: intent.id };
    await tx.subscriptionIntent.updateMany({
      where: { ...where, status: { not: 'done' } },
      data: { status: 'pending', updatedAt: ctx.clock.now() },
    });
    await resolveLater(tx, ctx, intent.id);
    return { intent: (await tx.subscriptionIntent.findFirstOrThrow({ where })) as Intent, isNew: false };
  });
}

const resolveLater = (tx: Tx, { tenantId, clock }: Context, intentId: string): Promise<void> =>
  enqueue(
    tx,
    'resolve_subscription',
    { tenantId, intentId },
    { runAt: new Date(clock.now().getTime() + RESOLVE_AFTER), key: `resolve_subscription:${intentId}` },
  );

/** True while a request works on the intent, or did so until just before a crash. */
export const isInProgress = (ctx: Pick<Context, 'clock'>, { status, updatedAt }: Intent): boolean =>
  status === 'pending' && ctx.clock.now().getTime() - updatedAt.getTime() < RESOLVE_AFTER;

/** When the job that looks up the outcome has run. */
export const outcomeAt = ({ updatedAt }: Intent): Date => new Date(updatedAt.getTime() + RESOLVE_AFTER + 1 * SECOND);

/** Binds the caller's key to a subscription that another request made, so that it returns it also once it is paid. */
export async function bindKey(
  ctx: Context,
  { patientId, accountId, id }: Subscription,
  fingerprint: string,
): Promise<void> {
  if (!ctx.keyed) return;
  const where = { tenantId: ctx.tenantId, patientId, subscriptionId: id };
  const intent = await ctx.db.subscriptionIntent.findFirst({ where, orderBy: { createdAt: 'asc' } });
  if (!intent) return;
  const now = ctx.clock.now();
  const bound = { status: 'done', subscriptionId: id };
  const { count } = await ctx.db.subscriptionIntent.updateMany({
    where: { tenantId: ctx.tenantId, requestKey: ctx.keyed.id },
    data: bound,
  });
  if (count > 0) return;
  const owner = { id: newId(now), tenantId: ctx.tenantId, patientId, accountId };
  const params = intent.params as IntentPlan;
  await ctx.db.subscriptionIntent.createMany({
    data: [
      { ...owner, ...bound, params, requestKey: ctx.keyed.id, asked: fingerprint, createdAt: now, updatedAt: now },
    ],
    skipDuplicates: true,
  });
}

/**
 * Finishes an intent whose subscription exists: sets the end after the first paid period where requested (Stripe's own
 * flag would end a trial unpaid), then stores the subscription. Idempotent.
 */
export async function finishIntent(
  ctx: Context,
  intent: Intent,
  created: StripeSubscription,
): Promise<StripeSubscription> {
  const { accountId, patientId, params: plan } = intent;
  let live = created;
  if (plan.cancelAfter === 'trial' && live.trialEnd && !live.cancelAt && intent.status !== 'done') {
    const { interval, interval_count } = live.recurring;
    const stripe = ctx.providers.stripeClient(ctx);
    await stripe.scheduleCancel(accountId, live.id, addIntervals(live.trialEnd, interval, interval_count));
    live = await stripe.getSubscription(accountId, live.id);
  }
  const { allowPromotionCodes } = plan.wish;
  const { createdByClientId } = plan;
  const owner = { accountId, patientId, createdByClientId, intentId: intent.id, allowPromotionCodes };
  if (await adoptSubscription(ctx, live, owner)) return live;
  return (await syncSubscription(ctx, live.id)).live ?? live;
}

/**
 * Looks up the outcome of a create that did not return: finishes it when Stripe has the subscription, else closes the
 * intent, also once another account has replaced one without access. A later retry of the request reopens it.
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
  const stripe = ctx.providers.stripeClient(ctx);
  const find = () => customer && stripe.findSubscription(accountId, customer.customerId, INTENT_KEY, intent.id);
  const createdId = await Promise.resolve(find()).catch(async (error: unknown) => {
    if (await isFormerAccountError(ctx, accountId, error)) return null;
    throw error;
  });
  if (createdId) await finishIntent(ctx, intent, await stripe.getSubscription(accountId, createdId));
  else await ctx.db.subscriptionIntent.updateMany({ where: { ...id, status: 'pending' }, data: { status: 'failed' } });
}
