import type { Services } from '#server/core/context.ts';
import { isKeyedJobQueued } from '#server/core/jobs.ts';
import { findStripeAccount } from '#server/integrations/index.ts';
import * as acuity from './reconcile-acuity.ts';
import * as stripe from './reconcile-stripe.ts';

/**
 * Queues the steps of clinics that have none queued: newly connected ones, and any whose steps were lost. Spread over
 * time, so that the clinics are not all compared at once.
 */
export async function reconcileAll(services: Services): Promise<void> {
  for (const tenantId of await services.database.tenantsOf('tenants')) {
    const db = services.database.forTenant(tenantId);
    const share = Number.parseInt(tenantId.slice(-4), 16) / 2 ** 16;
    const begin = async (name: 'reconcile_stripe' | 'reconcile_acuity', { keyOf, queueStep, stepMs }: Steps) => {
      if (await isKeyedJobQueued(db, { name, tenantId, key: keyOf(tenantId) })) return;
      await queueStep(db, tenantId, new Date(services.clock.now().getTime() + share * stepMs(services)));
    };
    if (await findStripeAccount({ db, tenantId })) await begin('reconcile_stripe', stripe);
    const isConnected = { tenantId, provider: 'acuity', status: { not: 'disconnected' }, credentials: { not: null } };
    if ((await db.integration.count({ where: isConnected })) > 0) await begin('reconcile_acuity', acuity);
  }
}

type Steps = Pick<typeof stripe, 'keyOf' | 'queueStep' | 'stepMs'>;
