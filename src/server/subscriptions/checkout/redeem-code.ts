import type { RedeemCodeInput } from '#contract/managed-subscription.ts';
import type { UpdateSubscriptionInput } from '#contract/subscription-changes.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { sourceOf } from '#server/core/ip-address.ts';
import { assertRateLimit } from '#server/core/rate-limiter.ts';
import { assertInCare, loadPatientFor } from '#server/patients/index.ts';
import { hasEnded, loadSubscription, maySeeSecrets, presentSubscription } from '../records/subscription.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';
import {
  acceptsCode,
  applyCode,
  asPatient,
  assertCodeApplies,
  type CreateSubscription,
  finishRedeeming,
  hasCode,
  isOpenToCodes,
  isPartlyRedeemed,
  loadLatestReplacement,
} from './apply-code.ts';
import { hashCheckoutToken } from './live-link.ts';

/** Redeems a promotion code on the payment page, where the link allows it. */
export async function redeemCode(
  ctx: Context,
  { token, code }: RedeemCodeInput,
  create: CreateSubscription,
): Promise<void> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'This opens with a checkout link only.');
  const where = { tenantId: ctx.tenantId, tokenHash: hashCheckoutToken(token) };
  const link = await ctx.db.checkoutLink.findFirst({
    where: { ...where, expiresAt: { gt: ctx.clock.now() }, endedAt: null },
  });
  if (!link) throw apiError('not_found', 'This link is not valid any more. Ask your clinic for a new one.');
  ctx.trail.patients.add(link.patientId);
  const { row } = await syncSubscription(ctx, link.subscriptionId);
  if (!acceptsCode(link, row)) throw apiError('conflict', 'This payment takes no promotion code.');
  const uncount = assertRateLimit(
    ctx,
    { name: 'wrong_promotion_codes_of_link', key: [ctx.tenantId, link.id] },
    { name: 'wrong_promotion_codes_from_source', key: [sourceOf(ctx.ip ?? '')] },
  );
  const patient = asPatient(ctx, link);
  const pointer = '/code';
  const canonicalCode = await assertCodeApplies(patient, row, code, pointer);
  uncount();
  await applyCode(patient, { row, code: canonicalCode, pointer }, create);
}

type RedeemInput = UpdateSubscriptionInput & { promotion_code: string };
const pointer = '/promotion_code';
const source = { pointer };

/**
 * Redeems a promotion code for an unpaid subscription: for staff and applications, and for the patient when it was
 * created with `allow_promotion_codes`. Idempotent per code.
 * @throws `promotion_code_invalid`; `conflict` once a payment is in progress or done; `already_canceled`;
 * `rate_limited`
 */
export async function redeemSubscriptionCode(
  ctx: Context,
  input: RedeemInput,
  create: CreateSubscription,
): Promise<SubscriptionView> {
  requireScope(ctx.actor, 'subscriptions:write');
  const hasOtherFields = Object.entries(input).some(
    ([name, value]) => !['id', 'promotion_code'].includes(name) && value !== undefined,
  );
  if (hasOtherFields)
    throw apiError('invalid_parameter', 'Redeem a code by itself, and change the rest in another call.', { source });
  const stored = await loadLatestReplacement(ctx, await loadSubscription(ctx, input.id));
  if (ctx.actor.kind === 'patient' && !stored.allowPromotionCodes)
    throw apiError('forbidden', 'This subscription takes no promotion code.', { source });
  assertInCare(await loadPatientFor(ctx, stored.patientId));
  const code = input.promotion_code;
  const { row } = await syncSubscription(ctx, stored.id);
  const changed = await redeem(ctx, row, code, create);
  const { row: after, live } = await syncSubscription(ctx, changed.id);
  return presentSubscription(ctx, after, maySeeSecrets(ctx.actor, after) ? live : null);
}

async function redeem(
  ctx: Context,
  row: Subscription,
  code: string,
  create: CreateSubscription,
): Promise<Subscription> {
  if (isPartlyRedeemed(row)) {
    const { id } = await finishRedeeming(ctx, { row }, create);
    return redeem(ctx, (await syncSubscription(ctx, id)).row, code, create);
  }
  if (hasEnded(row) && row.replacedBy) return redeem(ctx, await loadLatestReplacement(ctx, row), code, create);
  if (hasEnded(row)) throw apiError('already_canceled', 'This subscription has ended.');
  if (hasCode(row, code)) return row;
  if (!(await isRedeemable(ctx, row)))
    throw apiError('conflict', 'A code is redeemed before the first payment, which is under way or done.', { source });
  const canonicalCode = await assertCodeApplies(ctx, row, code, pointer);
  return applyCode(ctx, { row, code: canonicalCode, pointer }, create);
}

/** In addition to what the payment page allows, also during a trial whose card is saved. */
async function isRedeemable({ db, tenantId }: Context, row: Subscription): Promise<boolean> {
  if (row.status !== 'trialing') return isOpenToCodes(row);
  const paid = { tenantId, subscriptionId: row.id, amountPaid: { gt: 0 } };
  return (await db.payment.count({ where: paid, take: 1 })) === 0;
}
