import { LRUCache } from 'lru-cache';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { localDate } from './age.ts';

/** A tenant's zone hardly ever changes, and each read of a patient needs it. */
const zones = new LRUCache<string, string>({ max: 1000, ttl: MINUTE });

/** Today's date, `YYYY-MM-DD`, where the tenant is: ages are counted there. */
export async function tenantToday(
  ctx: Pick<Context, 'tenantId' | 'clock'> & { db: Pick<Tx, 'tenant'> },
): Promise<string> {
  let zone = zones.get(ctx.tenantId);
  if (!zone) {
    const tenant = await ctx.db.tenant.findUnique({ where: { id: ctx.tenantId }, select: { timeZone: true } });
    zone = tenant?.timeZone ?? 'UTC';
    if (tenant) zones.set(ctx.tenantId, zone);
  }
  return localDate(ctx.clock.now(), zone);
}
