import { type Services, systemContext } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { stripeOf } from '#server/providers/stripe.ts';
import { finishIntent, INTENT_KEY } from './carry-out-intent.ts';
import type { Intent } from './open-intent.ts';

/**
 * Looks up what became of a create that never answered: finishes it when the processor has it, else closes the intent.
 * A later retry of the same request opens it again.
 */
export async function resolveSubscription(services: Services, job: Jobs['resolve_subscription']): Promise<void> {
  const ctx = systemContext(services, job.tenantId, 'resolve_subscription');
  const id = { tenantId: job.tenantId, id: job.intentId };
  const intent = (await ctx.db.subscriptionIntent.findFirst({ where: id })) as Intent | null;
  if (intent?.status !== 'pending') return;
  const { accountId, patientId } = intent;
  const customer = await ctx.db.processorCustomer.findFirst({
    where: { tenantId: job.tenantId, patientId, accountId },
  });
  const stripe = stripeOf(ctx);
  const found = customer && (await stripe.findSubscription(accountId, customer.customerId, INTENT_KEY, intent.id));
  if (found) await finishIntent(ctx, intent, await stripe.getSubscription(accountId, found));
  else await ctx.db.subscriptionIntent.updateMany({ where: { ...id, status: 'pending' }, data: { status: 'failed' } });
}
