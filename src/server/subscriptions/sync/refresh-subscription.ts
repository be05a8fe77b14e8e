import { type Services, systemContext } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { syncSubscription } from './sync-subscription.ts';

/** Reads one subscription anew, in the background. */
export async function refreshSubscription(services: Services, job: Jobs['refresh_subscription']): Promise<void> {
  await syncSubscription(systemContext(services, job.tenantId, 'refresh_subscription'), job.subscriptionId);
}
