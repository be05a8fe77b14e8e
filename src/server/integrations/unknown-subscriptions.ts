import { ENDED_STATUSES } from '#contract/ended-statuses.ts';
import type { UnknownSubscriptionView } from '#contract/integrations.ts';
import type { UnknownSubscription } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { StripeSubscription } from '#server/providers/stripe.ts';

/**
 * Stores a running subscription at Stripe whose customer is no patient here, so that an admin can attach it or leave it
 * alone. An ended one is removed.
 */
export async function saveUnknownSubscription(
  ctx: Context,
  accountId: string,
  { id, customerId, status, name }: Pick<StripeSubscription, 'id' | 'customerId' | 'status' | 'name'>,
): Promise<void> {
  const { tenantId } = ctx;
  if (ENDED_STATUSES.includes(status)) return deleteUnknownSubscription(ctx, id);
  const now = ctx.clock.now();
  const seen = { accountId, customerId, status, name, seenAt: now };
  await ctx.db.unknownSubscription.upsert({
    where: { tenantId_id: { tenantId, id } },
    create: { tenantId, id, ...seen, firstSeenAt: now },
    update: seen,
  });
}

export async function deleteUnknownSubscription(
  { db, tenantId }: Pick<Context, 'db' | 'tenantId'>,
  id: string,
): Promise<void> {
  await db.unknownSubscription.deleteMany({ where: { tenantId, id } });
}

export const presentUnknownSubscription = (row: UnknownSubscription): UnknownSubscriptionView => ({
  id: row.id,
  customer_id: row.customerId,
  name: row.name,
  status: row.status as UnknownSubscriptionView['status'],
  first_seen_at: row.firstSeenAt.toISOString(),
});
