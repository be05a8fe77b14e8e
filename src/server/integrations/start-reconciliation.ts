import type { IntegrationProvider } from '#contract/integrations.ts';
import type { Context } from '#server/core/context.ts';
import { enqueue } from '#server/core/jobs.ts';

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
