import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Context } from '#server/core/context.ts';

/**
 * What this process knows of the provider's types and calendars is read again by the next request. What was read last stays
 * to be held against it: times of what has changed meanwhile are asked for again.
 */
export async function forgetSettings({ db, tenantId, kept }: Pick<Context, 'db' | 'tenantId' | 'kept'>): Promise<void> {
  await db.providerSnapshot.updateMany({
    where: { tenantId, provider: SCHEDULING_PROVIDER.id, kind: 'offerings' },
    data: { fetchedAt: new Date(0) },
  });
  kept.scheduling.catalogues.delete(tenantId);
}
