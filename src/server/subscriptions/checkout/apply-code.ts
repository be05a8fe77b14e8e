import type { CreateSubscriptionInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { CheckoutLink, Subscription } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, CarelaneError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { appliesTo, findPromotion, getOfferedPlans, hasPaid, inQuery, isAvailableTo } from '#server/plans/index.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import {
  ENDED,
  type Facts,
  hasEnded,
  loadSubscription,
  lockSubscription,
  nextActionOf,
  presentSubscription,
} from '../records/subscription.ts';
import { requestChange, syncSubscription } from '../sync/sync-subscription.ts';
import { findLiveLink, openLink, sealLink } from './live-link.ts';

/** Creates a subscription. A code is redeemed before the first payment by creating another subscription with it. */
export type CreateSubscription = (ctx: Context, input: CreateSubscriptionInput) => Promise<SubscriptionView>;

/** After this time a redemption counts as dead, and another code may take its place. */
const REDEMPTION_TIMEOUT = 2 * MINUTE;

/** True while a code can be redeemed: until a bill is paid, is being paid or has passed. */
export const isOpenToCodes = (row: Subscription): boolean =>
  isUnpaid(row) || (row.status === 'trialing' && nextActionOf(row) === 'setup');

/** A payment in progress does not count: nothing is waiting for the patient. */
const isUnpaid = (row: Subscription): boolean => row.status === 'incomplete' && nextActionOf(row) === 'payment';

/** True when it was given up: its bill is voided before it ends. */
const isGivenUp = (row: Subscription): boolean =>
  hasEnded(row) || (row.status === 'incomplete' && (row.latestInvoice as Facts['latestInvoice'])?.status === 'void');

/** True when the clinic has granted a discount of its own. */
const hasCoupon = ({ discount }: Subscription): boolean => discount !== null && codeOf(discount) === null;

const codeOf = (discount: Subscription['discount']): string | null => (discount as Facts['discount'])?.code ?? null;

export const hasCode = ({ discount }: Subscription, code: string): boolean =>
  codeOf(discount)?.toLowerCase() === code.toLowerCase();

/** True when the page may ask for a code: the link allows it, and no bill is paid yet. */
export const acceptsCode = (link: CheckoutLink, row: Subscription): boolean =>
  link.allowPromotionCodes && !link.completedAt && isOpenToCodes(row) && !hasCoupon(row);

/** The link's patient, in whose name the page acts. */
export const asPatient = (ctx: Context, { patientId }: CheckoutLink): Context => ({
  ...ctx,
  actor: {
    ...{ kind: 'patient', tenantId: ctx.tenantId, patientId },
    ...{ clientId: 'payment-page', impersonatedBy: null },
  } as const,
});

const itemsOf = (row: Subscription) => row.items as Facts['items'];

/**
 * Checks that a code can be redeemed for an unpaid subscription.
 * @param pointer JSON pointer to the request field that holds the code
 * @returns the code as Stripe spells it
 * @throws `promotion_code_invalid`; `conflict` when the subscription cannot be created again unchanged
 */
export async function assertCodeApplies(
  ctx: Context,
  row: Subscription,
  code: string,
  pointer: string,
): Promise<string> {
  if (hasCoupon(row))
    throw apiError('conflict', 'This subscription has a discount already, which a code would replace.');
  if (itemsOf(row).some(({ quantity }) => quantity !== 1))
    throw apiError('conflict', 'A code cannot be redeemed for several of one price here.');
  if (await hasAllowedDuplicate(ctx, row))
    throw apiError('conflict', 'A code cannot be redeemed beside another subscription to the same price.');
  const price_ids = itemsOf(row).map(({ price_id }) => price_id);
  const promotion = await findPromotion(ctx, row.accountId, code);
  if (!promotion?.active) throw unknownCodeError(pointer);
  const plans = await getOfferedPlans(ctx, row.accountId, price_ids, inQuery).catch((error: unknown) => {
    // Stripe makes no other subscription to an archived price.
    if (error instanceof CarelaneError && error.code === 'price_not_offered')
      throw codeError('This price is no longer offered, so no code applies to it. You can pay without one.', pointer);
    throw error;
  });
  if (!appliesTo(promotion, plans)) throw codeError('This code is not for this plan.', pointer);
  if (await isAvailableTo(ctx, promotion, row)) return promotion.code;
  const isFirst = promotion.restrictions?.first_time_transaction && (await hasPaid(ctx, row.patientId));
  throw isFirst ? codeError('This code is for a first payment only.', pointer) : unknownCodeError(pointer);
}

/** True when it or another with the same price has `allow_duplicate`: creating it again would end the other. */
async function hasAllowedDuplicate({ db, tenantId }: Context, row: Subscription): Promise<boolean> {
  const own = { tenantId, patientId: row.patientId };
  const others = await db.subscription.findMany({ where: { ...own, id: { not: row.id }, status: { notIn: ENDED } } });
  const priceIds = new Set(itemsOf(row).map(({ price_id }) => price_id));
  const overlapping = others.filter((other) => itemsOf(other).some(({ price_id }) => priceIds.has(price_id)));
  const ids = [row, ...overlapping].map(({ id }) => id);
  const intents = await db.subscriptionIntent.findMany({ where: { ...own, subscriptionId: { in: ids } } });
  return (
    overlapping.length > 0 && intents.some(({ params }) => (params as { allowDuplicate?: boolean }).allowDuplicate)
  );
}

const codeError = (people: string, pointer: string) =>
  apiError('promotion_code_invalid', people, { people, source: { pointer } });

const unknownCodeError = (pointer: string) =>
  codeError('This code is unknown, used up or over. Check it and try again.', pointer);

type Redemption = { row: Subscription; code: string; pointer: string };

/**
 * Redeems a validated code in the caller's name. A trial gets it for its first bill. Stripe updates neither an
 * `incomplete` subscription ("A subscription in this status can only have metadata and default_source updated") nor its
 * open bill, so it is ended and another one is created with the code. Charges nothing.
 * @returns the subscription that has the code
 */
export async function applyCode(
  ctx: Context,
  { row, code, pointer }: Redemption,
  create: CreateSubscription,
): Promise<Subscription> {
  if (row.status === 'trialing') return discount(ctx, { row, code, pointer });
  const now = ctx.clock.now();
  const own = { tenantId: ctx.tenantId, id: row.id };
  const unclaimed = [
    { promotionCode: null },
    { promotionCodeAt: { lt: new Date(now.getTime() - REDEMPTION_TIMEOUT) } },
  ];
  await ctx.db.subscription.updateMany({
    where: { ...own, status: 'incomplete', replacedBy: null, OR: unclaimed },
    data: { promotionCode: code, promotionCodeAt: now },
  });
  const claimed = await ctx.db.subscription.findUniqueOrThrow({ where: { tenantId_id: own } });
  const current = await loadLatestReplacement(ctx, claimed);
  if (hasCode(current, code)) return current;
  if (claimed.promotionCode !== code)
    throw apiError('conflict', 'Another code is being redeemed for this subscription.');
  try {
    return await replaceWithCode(ctx, { row: claimed, code }, create);
  } catch (error) {
    // Nothing was ended yet: release the claim, so that another code may be tried.
    const after = await syncSubscription(ctx, row.id).catch(() => null);
    if (after && !isGivenUp(after.row))
      await ctx.db.subscription.updateMany({
        where: { ...own, promotionCode: code },
        data: { promotionCode: null, promotionCodeAt: null },
      });
    throw error;
  }
}

/** Returns the subscription, or the latest one that replaced it. */
export async function loadLatestReplacement(ctx: Context, row: Subscription): Promise<Subscription> {
  return row.replacedBy ? loadLatestReplacement(ctx, await loadSubscription(ctx, row.replacedBy)) : row;
}

async function discount(ctx: Context, { row, code, pointer }: Redemption): Promise<Subscription> {
  const change = {
    action: 'subscriptions.update' as const,
    details: { promotion_code: code },
    facts: ['discount' as const],
  };
  const promotion = await findPromotion(ctx, row.accountId, code);
  if (!promotion) throw unknownCodeError(pointer);
  const cause = await requestChange(ctx, row.id, change, () =>
    ctx.providers
      .stripeClient(ctx)
      .changes.discount(row.accountId, row.id, promotion.id)
      .catch((error: unknown) => {
        throw error instanceof StripeRejection ? unknownCodeError(pointer) : error;
      }),
  );
  return (await syncSubscription(ctx, row.id, cause)).row;
}

/** A payment link with its token. */
type OpenedLink = { id: string; token: string };

async function readLiveLink(ctx: Context, { id }: Subscription): Promise<OpenedLink | null> {
  const link = await findLiveLink(ctx.db, ctx, 'pay', id);
  const token = link && openLink(ctx, 'pay', link).token;
  return token ? { id: link.id, token } : null;
}

/** True when the process ended while redeeming a code: the subscription was given up, and no other was created yet. */
export const isPartlyRedeemed = (row: Subscription): boolean => row.promotionCode !== null && isGivenUp(row);

const isCodeError = (error: unknown): error is CarelaneError =>
  error instanceof CarelaneError && error.code === 'promotion_code_invalid';

/** Finishes a redemption for which `isPartlyRedeemed` is true. A code that Stripe now rejects is left out. */
export async function finishRedeeming(
  ctx: Context,
  { row, opened }: { row: Subscription; opened?: OpenedLink },
  create: CreateSubscription,
): Promise<Subscription> {
  const redemption = { row, code: row.promotionCode!, ...(opened && { opened }) };
  await replaceWithCode(ctx, redemption, create).catch((error: unknown) => {
    if (!isCodeError(error)) throw error;
  });
  return loadLatestReplacement(ctx, await loadSubscription(ctx, row.id));
}

/**
 * Creates an unpaid subscription again with a code, and points its payment links to the new one. Idempotent: an
 * existing replacement is found. When Stripe rejects the code before anything was ended, nothing changes; after that,
 * the subscription is created again as it was, and the error names the new one.
 */
async function replaceWithCode(
  ctx: Context,
  { row, code, opened }: Pick<Redemption, 'row' | 'code'> & { opened?: OpenedLink },
  create: CreateSubscription,
): Promise<Subscription> {
  const liveLink = opened ?? (await readLiveLink(ctx, row));
  const { id, rejection } = await createReplacement(ctx, { row, code }, create);
  const { tenantId } = ctx;
  const next = await ctx.db.$transaction(async (tx) => {
    const liveLinks = { tenantId, subscriptionId: row.id, endedAt: null, completedAt: null };
    await tx.checkoutLink.updateMany({ where: liveLinks, data: { subscriptionId: id, promotionCode: null } });
    // Ending the previous subscription cleared the token with which the link is returned again.
    if (liveLink) {
      const token = sealLink(ctx, 'pay', liveLink.id, 'token', liveLink.token);
      await tx.checkoutLink.updateMany({ where: { tenantId, id: liveLink.id, endedAt: null }, data: { token } });
    }
    const { replacedBy } = await lockSubscription(tx, ctx, row.id);
    const before = await tx.subscription.update({
      where: { tenantId_id: { tenantId, id: row.id } },
      data: { promotionCode: null, promotionCodeAt: null, replacedBy: id, updatedAt: ctx.clock.now() },
    });
    if (replacedBy !== id)
      await record(tx, ctx, {
        action: 'subscriptions.update',
        event: 'subscription.updated',
        object: { type: 'Subscription', id: row.id },
        patientId: row.patientId,
        isNews: true,
        payload: presentSubscription(ctx, before),
        details: { replaced_by: id },
      });
    // The application that may read the secrets of the previous subscription may read those of the new one.
    return tx.subscription.update({
      where: { tenantId_id: { tenantId, id } },
      data: { createdByClientId: row.createdByClientId },
    });
  });
  if (rejection) throw rejection;
  return next;
}

/** Returns the subscription with the code, or without it when Stripe rejects it after the previous one was ended. */
async function createReplacement(
  ctx: Context,
  { row, code }: Pick<Redemption, 'row' | 'code'>,
  create: CreateSubscription,
): Promise<{ id: string; rejection: CarelaneError | null }> {
  const params = {
    patient_id: row.patientId,
    price_ids: itemsOf(row).map(({ price_id }) => price_id),
    ...(row.cancelAtPeriodEnd && { cancel_at_period_end: true }),
    ...(row.allowPromotionCodes && { allow_promotion_codes: true }),
  };
  const earlier = await findReplacement(ctx, row, code);
  if (earlier?.id) return { id: earlier.id, rejection: null };
  try {
    return { id: (await create(ctx, { ...params, promotion_code: code })).id, rejection: null };
  } catch (error) {
    if (!isCodeError(error) || !isGivenUp((await syncSubscription(ctx, row.id)).row)) throw error;
    // A concurrent request may have used the code up by creating the replacement.
    const replacement = await findReplacement(ctx, row, code);
    if (replacement?.id) return { id: replacement.id, rejection: null };
    if (replacement) throw apiError('conflict', 'This code is being redeemed already. Try again in a minute.');
    const before = codeOf(row.discount);
    const recreated = await create(ctx, { ...params, ...(before && { promotion_code: before }) }).catch(
      (secondError: unknown) => {
        if (!isCodeError(secondError)) throw secondError;
        return create(ctx, params);
      },
    );
    const meta = { subscription_id: recreated.id };
    const rejection = new CarelaneError(error.faults.map((fault) => ({ ...fault, meta: { ...fault.meta, ...meta } })));
    return { id: recreated.id, rejection };
  }
}

/** Finds the replacement that another request created with the code; the id is null while it is not known yet. */
async function findReplacement(
  { db, tenantId }: Context,
  row: Subscription,
  code: string,
): Promise<{ id: string | null } | null> {
  const { patientId, accountId } = row;
  const since = { gte: row.promotionCodeAt ?? row.createdAt };
  const status = { in: ['pending', 'done'] };
  const intents = await db.subscriptionIntent.findMany({
    where: { tenantId, patientId, accountId, status, createdAt: since },
    orderBy: { createdAt: 'desc' },
  });
  const priceKey = (ids: string[]) => ids.toSorted().join();
  const wantedKey = priceKey(itemsOf(row).map(({ price_id }) => price_id));
  const matching = intents.filter(({ params }) => {
    const { promotionCode, priceIds } = (params as { wish: { promotionCode: string | null; priceIds: string[] } }).wish;
    return promotionCode?.toLowerCase() === code.toLowerCase() && priceKey(priceIds) === wantedKey;
  });
  for (const { subscriptionId: id } of matching) {
    const isLive = id && (await db.subscription.count({ where: { tenantId, id, status: { notIn: ENDED } } })) > 0;
    if (isLive) return { id };
  }
  return matching.some(({ status: state }) => state === 'pending') ? { id: null } : null;
}
