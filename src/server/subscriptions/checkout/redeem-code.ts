import type { RedeemCodeInput } from '#contract/managed-subscription.ts';
import type { CreateSubscriptionInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { CheckoutLink, Subscription } from '#generated/prisma/client.ts';
import { type Context, inVisitorsCall } from '#server/core/context.ts';
import { countTry, limitKey } from '#server/core/count-try.ts';
import { CarelaneError, refuse } from '#server/core/errors.ts';
import { sourceOf } from '#server/core/network-of.ts';
import { findPromotion, getPromotionCode, hasPaid } from '#server/plans/promotion-code.ts';
import { StripeRefusal } from '#server/providers/stripe.ts';
import { stripeChangesOf } from '#server/providers/stripe-changes.ts';
import { type Facts, hasEnded, nextActionOf } from '../records/subscription.ts';
import { askFor } from '../sync/asked-change.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';
import { hashCheckoutToken, sealLink } from './live-link.ts';

/** How a patient subscribes anywhere; a code is redeemed by the same. */
export type Create = (ctx: Context, input: CreateSubscriptionInput) => Promise<SubscriptionView>;

/** Wrong codes in a minute, from a link and from a source. */
const WRONG_A_MINUTE = { link: 10, source: 20 };

/** Whether the page may ask for a code: as long as no bill is behind which a code cannot get any more. */
export const takesCode = (link: CheckoutLink, row: Subscription): boolean =>
  link.allowPromotionCodes && !link.completedAt && (row.status === 'incomplete' || isUnbilled(row));

/** Begun and nothing of it billed: a trial, or what a code has made free, which wait for a card. */
const isUnbilled = (row: Subscription): boolean => row.status === 'trialing' && nextActionOf(row) === 'setup';

/** The link's patient, in whose name its page acts. */
export const asPatient = (ctx: Context, { patientId }: CheckoutLink): Context => ({
  ...ctx,
  actor: {
    ...{ kind: 'patient', tenantId: ctx.tenantId, patientId },
    ...{ clientId: 'payment-page', impersonatedBy: null },
  } as const,
});

/**
 * Redeems a promotion code on the payment page. A trial takes it for its first bill. What waits for its first payment Stripe
 * changes no more ("A subscription in this status can only have metadata and default_source updated"), nor the bill that is
 * open: it is ended and made anew with the code, and the link leads to the new one. Nothing is paid by this.
 */
export async function redeemCode(ctx: Context, { token, code }: RedeemCodeInput, create: Create): Promise<void> {
  if (ctx.actor.kind !== 'visitor') throw refuse('forbidden', 'This opens with a checkout link only.');
  const where = { tenantId: ctx.tenantId, tokenHash: hashCheckoutToken(token) };
  const link = await ctx.db.checkoutLink.findFirst({
    where: { ...where, expiresAt: { gt: ctx.clock.now() }, endedAt: null },
  });
  if (!link) throw refuse('not_found', 'This link is not valid any more. Ask your clinic for a new one.');
  ctx.trail.patients.add(link.patientId);
  const { row } = await syncSubscription(ctx, link.subscriptionId);
  if (!takesCode(link, row)) throw refuse('conflict', 'This payment takes no promotion code.');
  const limits = [
    { key: limitKey('code-of-link', ctx.tenantId, link.id), most: WRONG_A_MINUTE.link },
    { key: limitKey('code-of-source', sourceOf(ctx.ip ?? '')), most: WRONG_A_MINUTE.source },
  ];
  for (const { key, most } of limits) countTry(ctx, key, most);
  const patient = asPatient(ctx, link);
  await assertTakesOff(patient, row, code);
  for (const { key } of limits) ctx.kept.limits.minute.giveBack(key);

  if (isUnbilled(row)) return discount(patient, row, code);
  const own = { tenantId: ctx.tenantId, id: link.id };
  const free = { ...own, OR: [{ promotionCode: null }, { promotionCode: code }] };
  const { count } = await ctx.db.checkoutLink.updateMany({ where: free, data: { promotionCode: code } });
  if (count === 0) throw refuse('conflict', 'Another code is being redeemed with this link.');
  try {
    await makeAnew(ctx, { link: { ...link, promotionCode: code }, row, token }, create);
  } catch (error) {
    // Nothing was ended yet: there is nothing to finish, and another code may be tried.
    if (!hasEnded((await syncSubscription(ctx, row.id)).row))
      await ctx.db.checkoutLink.updateMany({ where: own, data: { promotionCode: null } });
    throw error;
  }
}

const itemsOf = (row: Subscription) => row.items as Facts['items'];

/** A code that changes nothing is said so before anything is done for it. */
async function assertTakesOff(ctx: Context, row: Subscription, code: string): Promise<void> {
  if (itemsOf(row).some(({ quantity }) => quantity !== 1))
    throw refuse('conflict', 'A code cannot be redeemed for several of one price here.');
  const price_ids = itemsOf(row).map(({ price_id }) => price_id);
  const found = await getPromotionCode(ctx, { code, price_ids }).catch((error: unknown) => {
    if (error instanceof CarelaneError && error.code === 'not_found') return null;
    throw error;
  });
  if (!found?.valid) throw unknownCode();
  if (!found.applies) throw refusedCode('This code is not for this plan.');
  if (found.first_time_only && (await hasPaid(ctx, row.patientId)))
    throw refusedCode('This code is for a first payment only.');
}

const refusedCode = (people: string) =>
  refuse('promotion_code_invalid', people, { people, source: { pointer: '/code' } });

const unknownCode = () => refusedCode('This code is unknown, used up or over. Check it and try again.');

async function discount(ctx: Context, row: Subscription, code: string): Promise<void> {
  const wanted = {
    action: 'subscriptions.update',
    details: { promotion_code: code },
    facts: ['discount' as const],
  };
  const found = await findPromotion(ctx, row.accountId, code);
  if (!found) throw unknownCode();
  const cause = await askFor(ctx, row.id, wanted, () =>
    stripeChangesOf(ctx)
      .discount(row.accountId, row.id, found.id)
      .catch((error: unknown) => {
        throw error instanceof StripeRefusal ? unknownCode() : error;
      }),
  );
  await syncSubscription(ctx, row.id, cause);
}

type Waiting = { link: CheckoutLink; row: Subscription; token: string };

/**
 * Makes what waited for its first payment anew, with the code that stands in the link, and has the link lead there. May be
 * repeated: what was made already is found again. Should Stripe take back its yes, it is made anew as it was.
 */
export async function makeAnew(ctx: Context, { link, row, token }: Waiting, create: Create): Promise<Subscription> {
  const wish = {
    patient_id: row.patientId,
    price_ids: itemsOf(row).map(({ price_id }) => price_id),
    ...(row.cancelAtPeriodEnd && { cancel_at_period_end: true }),
  };
  const patient = asPatient(ctx, link);
  const before = (row.discount as Facts['discount'])?.code ?? null;
  let refusal: unknown = null;
  const made = await create(patient, { ...wish, promotion_code: link.promotionCode! }).catch((error: unknown) => {
    if (!(error instanceof CarelaneError) || error.code !== 'promotion_code_invalid') throw error;
    refusal = error;
    return create(patient, { ...wish, ...(before && { promotion_code: before }) });
  });
  const { tenantId } = ctx;
  const system = inVisitorsCall(ctx, 'redeem_code');
  const next = await system.db.$transaction(async (tx) => {
    await tx.checkoutLink.updateMany({
      where: { tenantId, id: link.id, completedAt: null },
      data: {
        subscriptionId: made.id,
        promotionCode: null,
        token: sealLink(ctx, 'pay', link.id, 'token', token),
      },
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

/** A code was being redeemed when the service ended: the subscription is gone, and not yet made anew. */
export const isHalfRedeemed = (link: CheckoutLink, row: Subscription): boolean =>
  link.promotionCode !== null && !link.completedAt && hasEnded(row);
