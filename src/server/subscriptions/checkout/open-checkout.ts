import type { CheckoutView } from '#contract/checkout-links.ts';
import { waitsForCard } from '#contract/subscription-status.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { nextActionOf, presentSubscription } from '../records/subscription.ts';
import { isPausedForCard, resumePaused, syncSubscription } from '../sync/sync-subscription.ts';
import { acceptsCode, asPatient, type CreateSubscription, finishRedeeming, isPartlyRedeemed } from './apply-code.ts';
import { hashCheckoutToken } from './live-link.ts';

/** A payment in progress may still fail, and then the link is needed again. */
const SETTLED = new Set(['active', 'trialing']);

/** True when it was paused for lack of a card, and a card is saved now. */
const canResume = (row: Subscription): boolean => isPausedForCard(row) && nextActionOf(row) === 'none';

/**
 * Returns what the checkout page shows and pays with. Once that is done, the link only shows the outcome. A
 * subscription that was paused for lack of a card resumes with the saved card.
 */
export async function openCheckout(
  ctx: Context,
  { token }: { token: string },
  create: CreateSubscription,
): Promise<CheckoutView> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'This opens with a checkout link only.');
  const now = ctx.clock.now();
  const link = await ctx.db.checkoutLink.findFirst({
    where: { tenantId: ctx.tenantId, tokenHash: hashCheckoutToken(token), expiresAt: { gt: now }, endedAt: null },
  });
  if (!link) throw apiError('not_found', 'This link is not valid any more. Ask your clinic for a new one.');
  ctx.trail.patients.add(link.patientId);
  let { row, live } = await syncSubscription(ctx, link.subscriptionId);
  if (isPartlyRedeemed(row) && !link.completedAt) {
    const replacement = await finishRedeeming(asPatient(ctx, link), { row, opened: { id: link.id, token } }, create);
    ({ row, live } = await syncSubscription(ctx, replacement.id));
  }
  if (canResume(row) && !link.completedAt) {
    ({ row, live } = await syncSubscription(ctx, row.id, await resumePaused(asPatient(ctx, link), row)));
  }
  const view = presentSubscription(ctx, row, link.completedAt ? null : live);
  if (view.next_action === 'none' && SETTLED.has(view.status) && !link.completedAt)
    await ctx.db.checkoutLink.updateMany({
      where: { tenantId: ctx.tenantId, id: link.id },
      data: { completedAt: now, token: null },
    });
  const { name: clinic } = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId } });
  const { latest_invoice: invoice, pending_setup_intent: setup } = view;
  const client_secret = invoice?.payment_intent?.client_secret ?? setup?.client_secret ?? null;
  const next_action = link.completedAt ? 'none' : view.next_action;
  return {
    clinic,
    name: view.name,
    amount_due: dueToday(row, view),
    currency: view.currency,
    plan_price: view.plan_price,
    billing_period: view.billing_period,
    billing_interval: view.billing_interval,
    trial_end: view.trial_end,
    cancel_at: view.cancel_at,
    next_action,
    client_secret,
    payment_client: view.payment_client,
    status: view.status,
    pause_reason: view.pause_reason,
    discount: view.discount,
    next_bill: next_action === 'setup' ? await firstBill(ctx, row, view.upcoming_invoice_date) : null,
    takes_code: next_action !== 'none' && acceptsCode(link, row),
  };
}

/** A subscription paused for lack of a card is billed as soon as a card is saved. */
function dueToday(row: Subscription, { next_action, latest_invoice, pause_reason }: SubscriptionView): number {
  if (waitsForCard({ pause_reason })) return priceLessDiscount(row) ?? 0;
  return next_action === 'payment' ? (latest_invoice?.amount_due ?? 0) : 0;
}

/** Amount of the first bill when a card is saved for it; price minus discount when Stripe previews none. */
async function firstBill(ctx: Context, row: Subscription, date: string | null): Promise<CheckoutView['next_bill']> {
  if (!date || row.cancelAt) return null;
  const amount_due =
    (await ctx.providers.stripeClient(ctx).changes.nextBill(row.accountId, row.id)) ?? priceLessDiscount(row);
  return amount_due === null ? null : { date, amount_due };
}

function priceLessDiscount({ planPrice, discount }: Subscription): number | null {
  if (planPrice === null) return null;
  const { percent_off, amount_off } = (discount as CheckoutView['discount']) ?? {};
  const off = percent_off ? Math.round((Number(planPrice) * percent_off) / 100) : (amount_off ?? 0);
  return Math.max(0, Number(planPrice) - off);
}
