import type { Subscription } from '#generated/prisma/client.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { findStripeAccount, isStripeAccessError } from '#server/integrations/index.ts';
import { storeNewSubscription, syncPayments, syncSubscription } from '#server/subscriptions/index.ts';

/**
 * Reads one subscription and its payments from Stripe in the background, and stores one that is new. At an account
 * without access there is nothing to read.
 */
export async function refreshSubscription(services: Services, job: Jobs['refresh_subscription']): Promise<void> {
  await refresh(services, job).catch((error: unknown) => {
    if (!isStripeAccessError(error)) throw error;
  });
}

async function refresh(services: Services, job: Jobs['refresh_subscription']): Promise<void> {
  const { tenantId, subscriptionId: id, found } = job;
  const ctx = systemContext(services, tenantId, 'refresh_subscription');
  const syncBills = () => syncPayments({ ...ctx, pace: services.providers.stripePace }, id, found ? { found } : {});
  const storedCount = await ctx.db.subscription.count({ where: { tenantId, id } });
  if (storedCount === 0) {
    const accountId = await findStripeAccount(ctx);
    if (!accountId) return;
    const live = await ctx.providers.stripeClient(ctx).getSubscription(accountId, id);
    const outcome = await storeNewSubscription(ctx, accountId, live, found);
    if (outcome === 'taken') await syncBills();
    if (outcome !== 'here') return;
  }
  const { row } = await syncSubscription(ctx, id, found ? { found } : {});
  // Comparing subscriptions covers only their last bill; earlier bills are compared separately.
  if (!found || (await isBilledUnseen(ctx, row))) await syncBills();
}

async function isBilledUnseen({ db, tenantId }: Context, { latestInvoice }: Subscription): Promise<boolean> {
  const last = latestInvoice as { id: string; status: string | null; amount_due: number } | null;
  if (!last?.status || last.amount_due === 0 || last.status === 'draft') return false;
  return (await db.payment.count({ where: { tenantId, id: last.id, status: last.status } })) === 0;
}
