import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { localDay, toMinute } from '#server/core/zone.ts';

type OfTenant = Pick<Context, 'tenantId' | 'timeZones'> & { db: Pick<Tx, 'tenant'> };

/** Today's date, `YYYY-MM-DD`, where the tenant is: ages are counted there. */
export const tenantToday = async (ctx: OfTenant & Pick<Context, 'clock'>): Promise<string> =>
  localDay(toMinute(ctx.clock.now()), await tenantZone(ctx));

/** Where the tenant is, IANA. */
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
