import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Context } from '#server/core/context.ts';

/**
 * Makes the next request read the provider's types and calendars again. The cached ones stay for comparison, so that
 * availability affected by changes is read again.
 */
export async function invalidateCatalogue({
  db,
  tenantId,
  catalogues,
}: Pick<Context, 'db' | 'tenantId' | 'catalogues'>): Promise<void> {
  await db.providerSnapshot.updateMany({
    where: { tenantId, provider: SCHEDULING_PROVIDER.id, kind: 'offerings' },
    data: { fetchedAt: new Date(0) },
  });
  catalogues.delete(tenantId);
}
