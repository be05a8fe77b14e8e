import type { Context } from '#server/core/context.ts';

/**
 * What this process knows of Acuity's types, calendars and forms is read anew by who asks next. What was read last stays
 * to be held against it: times of what has changed meanwhile are asked for again.
 */
export async function forgetSettings({ db, tenantId, kept }: Pick<Context, 'db' | 'tenantId' | 'kept'>): Promise<void> {
  await db.providerSnapshot.updateMany({
    where: { tenantId, provider: 'acuity', kind: 'catalogue' },
    data: { fetchedAt: new Date(0) },
  });
  kept.scheduling.catalogues.delete(tenantId);
}
