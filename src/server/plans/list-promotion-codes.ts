import type { ArchivePromotionCodeInput, ListedCodeView } from '#contract/promotion-code-changes.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { localDay, toMinute } from '#server/core/zone.ts';
import type { PromotionCode } from '#server/providers/stripe.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import { type Catalogue, changeCatalogue, openCatalogue } from './catalogue.ts';

export async function clinicZone({ db, tenantId }: Context): Promise<string> {
  return (await db.tenant.findUniqueOrThrow({ where: { id: tenantId }, select: { timeZone: true } })).timeZone;
}

/** Stripe shows a code that is expired or used up as inactive too. */
function stateOf(code: PromotionCode, now: Date): ListedCodeView['state'] {
  const { coupon } = code.promotion;
  const isPast = (at: Date | null) => at !== null && at <= now;
  const isUp = (count: number, max: number | null | undefined) => typeof max === 'number' && count >= max;
  if (isPast(code.expires_at) || isPast(coupon.redeem_by)) return 'expired';
  if (isUp(code.times_redeemed, code.max_redemptions) || isUp(coupon.times_redeemed, coupon.max_redemptions))
    return 'used_up';
  return code.active && coupon.valid ? 'active' : 'archived';
}

export function presentCode(code: PromotionCode, zone: string, now: Date): ListedCodeView {
  const { coupon } = code.promotion;
  const { expires_at } = code;
  return {
    id: code.id,
    code: code.code,
    state: stateOf(code, now),
    percent_off: coupon.percent_off ?? null,
    amount_off: coupon.amount_off ?? null,
    currency: coupon.currency ?? null,
    duration: coupon.duration ?? null,
    duration_in_months: coupon.duration_in_months ?? null,
    products: coupon.applies_to?.products ?? [],
    times_redeemed: code.times_redeemed,
    max_redemptions: code.max_redemptions ?? null,
    // The day that ends at that instant.
    last_day: expires_at && localDay(toMinute(new Date(expires_at.getTime() - 1)), zone),
    first_time_only: code.restrictions?.first_time_transaction ?? false,
    for_one_customer: Boolean(code.customer),
  };
}

/** Lists all promotion codes from Stripe, the newest first. */
export async function listPromotionCodes(ctx: Context): Promise<{ items: ListedCodeView[] }> {
  requireStaff(ctx.actor, 'subscriptions:read');
  const { catalogue } = await openCatalogue(ctx);
  const [codes, zone] = [await catalogue.promotionCodes(), await clinicZone(ctx)];
  return { items: codes.map((code) => presentCode(code, zone, ctx.clock.now())) };
}

/** Stops a code from being redeemed; discounts that patients have already remain. */
export async function archivePromotionCode(ctx: Context, { id }: ArchivePromotionCodeInput): Promise<void> {
  requireStaff(ctx.actor, 'plans:write');
  await setActive(ctx, id, false);
}

/** @throws `conflict` for a code that is expired or used up, or whose text another code has by now */
export async function unarchivePromotionCode(ctx: Context, { id }: ArchivePromotionCodeInput): Promise<void> {
  requireStaff(ctx.actor, 'plans:write');
  await setActive(ctx, id, true);
}

/** The active code with that text, or null. */
export async function findActiveCode({ accountId, client }: Catalogue, code: string): Promise<PromotionCode | null> {
  const found = await client.findPromotionCode(accountId, code);
  return found?.active ? found : null;
}

async function setActive(ctx: Context, id: string, active: boolean): Promise<void> {
  const account = await openCatalogue(ctx);
  const { catalogue } = account;
  const action = active ? 'plans.unarchive_promotion_code' : 'plans.archive_promotion_code';
  await changeCatalogue(ctx, async (done) => {
    try {
      const { code } = await catalogue.setPromotionCode(id, active);
      done({ action, type: 'PromotionCode', id, name: code });
    } catch (error) {
      if (!(error instanceof StripeRejection)) throw error;
      if (error.httpStatus === 404) throw notFound('promotion code');
      // Stripe names neither a reason nor a parameter.
      const code = active && (await catalogue.promotionCodes()).find((one) => one.id === id);
      if (!code) throw error;
      if (stateOf(code, ctx.clock.now()) !== 'archived')
        throw apiError('conflict', 'This code is expired or used up. Make a new one.');
      if (!(await findActiveCode(account, code.code))) throw error;
      throw apiError('conflict', 'Another valid code has the same text. Archive that one first.');
    }
  });
}
