import type { CheckoutView } from '#contract/subscriptions.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { presentSubscription } from '../records/subscription.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';
import { hashCheckoutToken } from './live-link.ts';

/** A payment under way may still fail, and then the link is needed again. */
const SETTLED = new Set(['active', 'trialing']);

/** What the checkout page shows and pays with, for a link's token. Once that is done the link tells only how it went. */
export async function openCheckout(ctx: Context, { token }: { token: string }): Promise<CheckoutView> {
  if (ctx.actor.kind !== 'visitor') throw refuse('forbidden', 'This opens with a checkout link only.');
  const now = ctx.clock.now();
  const link = await ctx.db.checkoutLink.findFirst({
    where: { tenantId: ctx.tenantId, tokenHash: hashCheckoutToken(token), expiresAt: { gt: now }, endedAt: null },
  });
  if (!link) throw refuse('not_found', 'This link is not valid any more. Ask your clinic for a new one.');
  ctx.trail.patients.add(link.patientId);
  const { row, live } = await syncSubscription(ctx, link.subscriptionId);
  const view = presentSubscription(ctx, row, link.completedAt ? null : live);
  if (view.next_action === 'none' && SETTLED.has(view.status) && !link.completedAt)
    await ctx.db.checkoutLink.updateMany({
      where: { tenantId: ctx.tenantId, id: link.id },
      data: { completedAt: now, token: null },
    });
  const { name: clinic } = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId } });
  const { latest_invoice: invoice, pending_setup_intent: setup } = view;
  const client_secret = invoice?.payment_intent?.client_secret ?? setup?.client_secret ?? null;
  return {
    clinic,
    name: view.name,
    amount_due: view.next_action === 'payment' ? (invoice?.amount_due ?? 0) : 0,
    currency: view.currency,
    plan_price: view.plan_price,
    billing_period: view.billing_period,
    billing_interval: view.billing_interval,
    trial_end: view.trial_end,
    next_action: link.completedAt ? 'none' : view.next_action,
    client_secret,
    payment_client: view.payment_client,
    status: view.status,
  };
}
