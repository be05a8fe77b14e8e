import type { CreateSubscriptionInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { CheckoutLink, Subscription } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError, refuse } from '#server/core/errors.ts';
import { findPromotion, getPromotionCode, hasPaid } from '#server/plans/promotion-code.ts';
import { StripeRefusal } from '#server/providers/stripe.ts';
import { stripeChangesOf } from '#server/providers/stripe-changes.ts';
import { type Facts, hasEnded, nextActionOf } from '../records/subscription.ts';
import { askFor } from '../sync/asked-change.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';
import { findLiveLink, openLink, sealLink } from './live-link.ts';

/** Creates a subscription; a code that comes before the first payment is redeemed by creating another one with it. */
export type Create = (ctx: Context, input: CreateSubscriptionInput) => Promise<SubscriptionView>;

/** Whether a code can still be redeemed: until a bill is paid or past. */
export const isOpenToCodes = (row: Subscription): boolean => row.status === 'incomplete' || isUnbilled(row);

/** A trial, or what a code has made free, which wait for a card: nothing was billed yet. */
const isUnbilled = (row: Subscription): boolean => row.status === 'trialing' && nextActionOf(row) === 'setup';

/** Whether the page may ask for a code: as long as no bill is behind which a code cannot get any more. */
export const takesCode = (link: CheckoutLink, row: Subscription): boolean =>
  link.allowPromotionCodes && !link.completedAt && isOpenToCodes(row);

/** The link's patient, in whose name its page acts. */
export const asPatient = (ctx: Context, { patientId }: CheckoutLink): Context => ({
  ...ctx,
  actor: {
    ...{ kind: 'patient', tenantId: ctx.tenantId, patientId },
    ...{ clientId: 'payment-page', impersonatedBy: null },
  } as const,
});

const itemsOf = (row: Subscription) => row.items as Facts['items'];

/**
 * Checks that a code takes something off a subscription.
 * @param pointer to the field of the request that holds the code
 * @throws `promotion_code_invalid`; `conflict` for several of one price
 */
export async function assertTakesOff(ctx: Context, row: Subscription, code: string, pointer: string): Promise<void> {
  if (itemsOf(row).some(({ quantity }) => quantity !== 1))
    throw refuse('conflict', 'A code cannot be redeemed for several of one price here.');
  const price_ids = itemsOf(row).map(({ price_id }) => price_id);
  const found = await getPromotionCode(ctx, { code, price_ids }).catch((error: unknown) => {
    if (error instanceof CarelaneError && error.code === 'not_found') return null;
    throw error;
  });
  if (!found?.valid) throw unknownCode(pointer);
  if (!found.applies) throw refusedCode('This code is not for this plan.', pointer);
  if (found.first_time_only && (await hasPaid(ctx, row.patientId)))
    throw refusedCode('This code is for a first payment only.', pointer);
}

const refusedCode = (people: string, pointer: string) =>
  refuse('promotion_code_invalid', people, { people, source: { pointer } });

const unknownCode = (pointer: string) =>
  refusedCode('This code is unknown, used up or over. Check it and try again.', pointer);

type Redeeming = { row: Subscription; code: string; pointer: string };

/**
 * Redeems a code that was checked, in the caller's name. A trial takes it for its first bill. Stripe changes neither a
 * subscription that waits for its first payment ("A subscription in this status can only have metadata and default_source
 * updated") nor its open bill, so that one is ended and another created with the code. Nothing is paid by this.
 * @returns the subscription that the code counts for
 */
export async function applyCode(
  ctx: Context,
  { row, code, pointer }: Redeeming,
  create: Create,
): Promise<Subscription> {
  if (isUnbilled(row)) return discount(ctx, { row, code, pointer });
  const { tenantId } = ctx;
  const own = { tenantId, id: row.id };
  const free = { ...own, OR: [{ promotionCode: null }, { promotionCode: code }] };
  const { count } = await ctx.db.subscription.updateMany({ where: free, data: { promotionCode: code } });
  if (count === 0) throw refuse('conflict', 'Another code is being redeemed for this subscription.');
  try {
    return await replaceWithCode(ctx, { row, code }, create);
  } catch (error) {
    // Nothing was ended yet: there is nothing to finish, and another code may be tried.
    if (!hasEnded((await syncSubscription(ctx, row.id)).row))
      await ctx.db.subscription.updateMany({ where: own, data: { promotionCode: null } });
    throw error;
  }
}

async function discount(ctx: Context, { row, code, pointer }: Redeeming): Promise<Subscription> {
  const wanted = {
    action: 'subscriptions.update',
    details: { promotion_code: code },
    facts: ['discount' as const],
  };
  const found = await findPromotion(ctx, row.accountId, code);
  if (!found) throw unknownCode(pointer);
  const cause = await askFor(ctx, row.id, wanted, () =>
    stripeChangesOf(ctx)
      .discount(row.accountId, row.id, found.id)
      .catch((error: unknown) => {
        throw error instanceof StripeRefusal ? unknownCode(pointer) : error;
      }),
  );
  return (await syncSubscription(ctx, row.id, cause)).row;
}

/** A payment link and what opens it. */
type OpenedLink = { id: string; token: string };

async function readLiveLink(ctx: Context, { id }: Subscription): Promise<OpenedLink | null> {
  const link = await findLiveLink(ctx.db, ctx, 'pay', id);
  const token = link && openLink(ctx, 'pay', link).token;
  return token ? { id: link.id, token } : null;
}

/** A code was being redeemed when the process ended: the subscription has ended, and no other was created yet. */
export const isHalfRedeemed = (row: Subscription): boolean => row.promotionCode !== null && hasEnded(row);

/**
 * Creates what waited for its first payment again with a code, and has its payment links lead there. Can be repeated: what
 * was created already is found. If Stripe refuses the code by then, it is created again as it was, and the error thrown.
 */
export async function replaceWithCode(
  ctx: Context,
  { row, code, opened }: Pick<Redeeming, 'row' | 'code'> & { opened?: OpenedLink },
  create: Create,
): Promise<Subscription> {
  const wish = {
    patient_id: row.patientId,
    price_ids: itemsOf(row).map(({ price_id }) => price_id),
    ...(row.cancelAtPeriodEnd && { cancel_at_period_end: true }),
    ...(row.allowPromotionCodes && { allow_promotion_codes: true }),
  };
  const before = (row.discount as Facts['discount'])?.code ?? null;
  const given = opened ?? (await readLiveLink(ctx, row));
  let refusal: unknown = null;
  const made = await create(ctx, { ...wish, promotion_code: code }).catch((error: unknown) => {
    if (!(error instanceof CarelaneError) || error.code !== 'promotion_code_invalid') throw error;
    refusal = error;
    return create(ctx, { ...wish, ...(before && { promotion_code: before }) });
  });
  const { tenantId } = ctx;
  const next = await ctx.db.$transaction(async (tx) => {
    const leadsHere = { tenantId, subscriptionId: row.id, endedAt: null, completedAt: null };
    await tx.checkoutLink.updateMany({ where: leadsHere, data: { subscriptionId: made.id, promotionCode: null } });
    // The end of the subscription before has cleared the token by which the link is given again.
    if (given) {
      const token = sealLink(ctx, 'pay', given.id, 'token', given.token);
      await tx.checkoutLink.updateMany({ where: { tenantId, id: given.id, endedAt: null }, data: { token } });
    }
    await tx.subscription.update({
      where: { tenantId_id: { tenantId, id: row.id } },
      data: { promotionCode: null, replacedBy: made.id },
    });
    // The application that may read the secrets of the one may read those of the other.
    return tx.subscription.update({
      where: { tenantId_id: { tenantId, id: made.id } },
      data: { createdByClientId: row.createdByClientId },
    });
  });
  if (refusal) throw refusal;
  return next;
}
