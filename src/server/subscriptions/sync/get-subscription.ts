import type { SubscriptionView } from '#contract/subscriptions.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { loadSubscription, maySeeSecrets, nextActionOf, presentSubscription } from '../records/subscription.ts';
import { syncSubscription } from './sync-subscription.ts';

/** One subscription. While something is to be paid or saved, who may see the client secret gets it fresh. */
export async function getSubscription(ctx: Context, input: { id: string }): Promise<SubscriptionView> {
  requireScope(ctx.actor, 'subscriptions:read');
  const known = await loadSubscription(ctx, input.id);
  if (nextActionOf(known) === 'none' || !maySeeSecrets(ctx.actor, known)) return presentSubscription(ctx, known);
  const { row, live } = await syncSubscription(ctx, known.id);
  return presentSubscription(ctx, row, live);
}
