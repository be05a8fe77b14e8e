import type { IntegrationProvider, IntegrationView } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { inspectAcuity } from './inspect-acuity.ts';
import { inspectStripe } from './inspect-stripe.ts';
import { saveCheck } from './integration.ts';
import { getAcuityIntegration, getStripeIntegration } from './list-integrations.ts';
import { findAcuityAccount, getAcuityAccount, invalidateCatalogue } from './scheduling-account.ts';
import { getStripeAccount } from './stripe-account.ts';

/**
 * Inspects the connection to Acuity now and stores the findings. The types and calendars are read again on the next
 * request.
 */
export async function checkAcuity(ctx: Context): Promise<IntegrationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const check = await inspectAcuity(ctx, await getAcuityAccount(ctx));
  await saveCheck(ctx, 'acuity', check);
  // While Acuity does not return its settings, the previous ones are still shown.
  if (!check.isUnread) await invalidateCatalogue(ctx);
  return getAcuityIntegration(ctx);
}

export async function runAcuityCheck(services: Services, { tenantId }: Jobs['check_acuity']): Promise<void> {
  const ctx = systemContext(services, tenantId, 'check_acuity');
  if (await findAcuityAccount(ctx)) await checkAcuity(ctx);
}

/** Inspects the connection to Stripe now and stores the findings. */
export async function checkStripe(ctx: Context): Promise<IntegrationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  await saveCheck(ctx, 'stripe', await inspectStripe(ctx, await getStripeAccount(ctx)));
  return getStripeIntegration(ctx);
}

const TASKS = { stripe: 'reconcile_stripe', acuity: 'reconcile_acuity' } as const;

/**
 * Starts a comparison with a connected provider now, because an admin has requested a check. A step that is running
 * delays it by one step.
 */
export async function startReconciliation(
  { db, tenantId, clock }: Context,
  provider: IntegrationProvider,
): Promise<void> {
  const begin = { where: { tenantId }, data: { passStartedAt: null } };
  await (provider === 'stripe' ? db.stripeReconcile.updateMany(begin) : db.schedulingReconcile.updateMany(begin));
  const task = TASKS[provider];
  await enqueue(db, task, { tenantId }, { runAt: clock.now(), key: `${task}:${tenantId}` });
}
