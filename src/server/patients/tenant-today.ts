import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { localDay, toMinute } from '#server/core/zone.ts';

type OfTenant = Pick<Context, 'tenantId' | 'timeZones'> & { db: Pick<Tx, 'tenant'> };

/** Returns today's date, `YYYY-MM-DD`, in the tenant's time zone, which ages are based on. */
export const tenantToday = async (ctx: OfTenant & Pick<Context, 'clock'>): Promise<string> =>
  localDay(toMinute(ctx.clock.now()), await tenantZone(ctx));

/** Returns the tenant's IANA time zone. */
export async function tenantZone(ctx: OfTenant): Promise<string> {
  const zones = ctx.timeZones;
  let zone = zones.get(ctx.tenantId);
  if (!zone) {
    const tenant = await ctx.db.tenant.findUnique({ where: { id: ctx.tenantId }, select: { timeZone: true } });
    zone = tenant?.timeZone ?? 'UTC';
    if (tenant) zones.set(ctx.tenantId, zone);
  }
  return zone;
}
