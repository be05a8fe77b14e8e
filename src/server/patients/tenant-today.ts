import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { localDay, toMinute } from '#server/core/zone.ts';

/** Today's date, `YYYY-MM-DD`, where the tenant is: ages are counted there. */
export async function tenantToday(
  ctx: Pick<Context, 'tenantId' | 'clock' | 'kept'> & { db: Pick<Tx, 'tenant'> },
): Promise<string> {
  const zones = ctx.kept.patients.timeZones;
  let zone = zones.get(ctx.tenantId);
  if (!zone) {
    const tenant = await ctx.db.tenant.findUnique({ where: { id: ctx.tenantId }, select: { timeZone: true } });
    zone = tenant?.timeZone ?? 'UTC';
    if (tenant) zones.set(ctx.tenantId, zone);
  }
  return localDay(toMinute(ctx.clock.now()), zone);
}
