import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { findStripeAccount } from '#server/integrations/get-stripe-account.ts';
import {
  hasEnded,
  loadSubscription,
  maySeeSecrets,
  nextActionOf,
  presentSubscription,
} from '../records/subscription.ts';
import { type Synced, syncSubscription } from './sync-subscription.ts';

/** A reader does not wait longer for a copy that is too old. */
const HEAL_WITHIN_MS = 1 * SECOND;

/**
 * One subscription. While something is to be paid or saved, who may see the client secret gets it fresh. A copy that is
 * older than comparing with Stripe should leave it is brought up to date first; when Stripe does not answer in a second, it
 * is given as it is, and its age is told.
 */
export async function getSubscription(ctx: Context, input: { id: string }): Promise<SubscriptionView> {
  requireScope(ctx.actor, 'subscriptions:read');
  const known = await loadSubscription(ctx, input.id);
  if (nextActionOf(known) !== 'none' && maySeeSecrets(ctx.actor, known)) {
    const { row, live } = await syncSubscription(ctx, known.id);
    return withIssue(ctx, row, live);
  }
  return withIssue(ctx, hasEnded(known) ? known : await healed(ctx, known));
}

async function withIssue(ctx: Context, row: Subscription, live?: Synced['live']): Promise<SubscriptionView> {
  return { ...presentSubscription(ctx, row, live), stripe_issue: await issueOf(ctx, row) };
}

/** What has happened to its account or its customer. */
async function issueOf(ctx: Context, row: Subscription): Promise<SubscriptionView['stripe_issue']> {
  const { tenantId, accountId, patientId } = row;
  if (!hasEnded(row)) return (await findStripeAccount(ctx)) === accountId ? null : 'former_account';
  const where = { tenantId, accountId, patientId, deletedAt: { not: null } };
  return (await ctx.db.processorCustomer.count({ where })) > 0 ? 'customer_deleted' : null;
}

async function healed(ctx: Context, known: Subscription): Promise<Subscription> {
  const ageMs = ctx.clock.now().getTime() - (known.checkedAt ?? known.createdAt).getTime();
  if (ageMs < ctx.config.stripe.reconcileMs) return known;
  try {
    return (await syncSubscription(ctx, known.id, { found: 'reading', withinMs: HEAL_WITHIN_MS })).row;
  } catch (error) {
    if (!(error instanceof CarelaneError)) throw error;
    ctx.onAge(Math.floor(ageMs / SECOND));
    return known;
  }
}
