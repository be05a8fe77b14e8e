import type { Subscription } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { visibleTo } from './policy.ts';

/** Our copy of the subscription; what belongs to somebody else is not found. */
export async function loadSubscription(ctx: Context, id: string): Promise<Subscription> {
  const row = await ctx.db.subscription.findFirst({ where: { ...visibleTo(ctx.actor), id } });
  if (!row) throw notFound('subscription');
  return row;
}
