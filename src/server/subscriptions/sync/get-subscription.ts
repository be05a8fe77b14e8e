import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { findStripeAccount } from '#server/integrations/index.ts';
import {
  hasEnded,
  loadSubscription,
  maySeeSecrets,
  nextActionOf,
  presentSubscription,
} from '../records/subscription.ts';
import { type Synced, syncSubscription } from './sync-subscription.ts';

/** Timeouts for refreshing an outdated row, and for a client secret, which takes two calls. */
const TIMEOUT_MS = { copy: 1 * SECOND, secret: 3 * SECOND };

/**
 * Returns one subscription. While something is to be paid or saved, a caller who may see the client secret gets it from
 * Stripe. A row older than the reconcile interval is refreshed first. When Stripe fails or does not respond in time,
 * the stored row is returned without a client secret, and its age is reported.
 */
export async function getSubscription(ctx: Context, input: { id: string }): Promise<SubscriptionView> {
  requireScope(ctx.actor, 'subscriptions:read');
  const stored = await loadSubscription(ctx, input.id);
  const needsSecret = nextActionOf(stored) !== 'none' && maySeeSecrets(ctx.actor, stored);
  const ageMs = ctx.clock.now().getTime() - (stored.checkedAt ?? stored.createdAt).getTime();
  const isStale = ageMs >= ctx.config.stripe.reconcileMs;
  if (hasEnded(stored) || !(needsSecret || isStale)) return withIssue(ctx, stored);
  try {
    const { row, live } = needsSecret
      ? await syncSubscription(ctx, stored.id, { withinMs: TIMEOUT_MS.secret })
      : await syncSubscription(ctx, stored.id, { found: 'reading', withinMs: TIMEOUT_MS.copy });
    return await withIssue(ctx, row, needsSecret ? live : null);
  } catch (error) {
    if (!(error instanceof CarelaneError)) throw error;
    ctx.onAge(Math.max(0, Math.floor(ageMs / SECOND)));
    return withIssue(ctx, stored);
  }
}

async function withIssue(ctx: Context, row: Subscription, live?: Synced['live']): Promise<SubscriptionView> {
  return { ...presentSubscription(ctx, row, live), stripe_issue: await issueOf(ctx, row) };
}

/** The problem with its account or its customer, if there is one. */
async function issueOf(ctx: Context, row: Subscription): Promise<SubscriptionView['stripe_issue']> {
  const { tenantId, accountId, patientId } = row;
  if (!hasEnded(row)) return (await findStripeAccount(ctx)) === accountId ? null : 'former_account';
  const where = { tenantId, accountId, patientId, deletedAt: { not: null } };
  return (await ctx.db.processorCustomer.count({ where })) > 0 ? 'customer_deleted' : null;
}
