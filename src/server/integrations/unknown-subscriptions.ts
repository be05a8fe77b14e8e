import type { Context } from '#server/core/context.ts';
import type { ProcessorSubscription } from '#server/providers/stripe.ts';

const ENDED = new Set(['canceled', 'incomplete_expired']);

/**
 * Notes a subscription at Stripe whose customer is no patient here, as long as it runs: an administrator can say whose it
 * is, or leave it alone. One that has ended needs nobody.
 */
export async function noteUnknown(
  ctx: Context,
  accountId: string,
  { id, customerId, status, name }: Pick<ProcessorSubscription, 'id' | 'customerId' | 'status' | 'name'>,
): Promise<void> {
  const { tenantId } = ctx;
  if (ENDED.has(status)) {
    await ctx.db.unknownSubscription.deleteMany({ where: { tenantId, id } });
    return;
  }
  const now = ctx.clock.now();
  const seen = { accountId, customerId, status, name, seenAt: now };
  await ctx.db.unknownSubscription.upsert({
    where: { tenantId_id: { tenantId, id } },
    create: { tenantId, id, ...seen, firstSeenAt: now },
    update: seen,
  });
}
