import { type Services, systemContext } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { findStripeAccount } from '#server/integrations/get-stripe-account.ts';
import { stripeOf } from '#server/providers/stripe.ts';
import { takeIn } from '#server/subscriptions/stripe-events/apply-stripe-events.ts';
import { syncSubscription } from '#server/subscriptions/sync/sync-subscription.ts';

/** Reads one subscription anew, in the background; one that is not kept yet is taken in. */
export async function refreshSubscription(services: Services, job: Jobs['refresh_subscription']): Promise<void> {
  const { tenantId, subscriptionId: id, found } = job;
  const ctx = systemContext(services, tenantId, 'refresh_subscription');
  const known = await ctx.db.subscription.count({ where: { tenantId, id } });
  if (known === 0) {
    const accountId = await findStripeAccount(ctx);
    if (!accountId) return;
    const live = await stripeOf(ctx).getSubscription(accountId, id);
    if ((await takeIn(ctx, accountId, live, found)) !== 'here') return;
  }
  await syncSubscription(ctx, id, found ? { found } : {});
}
