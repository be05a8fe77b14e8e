import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { localDay, toMinute } from '#server/core/zone.ts';

const OLDEST_YEARS = 200;

/**
 * Returns the age in whole years on `today`. A patient born on February 29 turns a year older on March 1 of a common
 * year.
 */
export function ageOn(today: string, birthDate: string): number {
  const years = Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return today.slice(5) < birthDate.slice(5) ? years - 1 : years;
}

/** Returns the last date of birth that makes a patient at least `years` old on `today`; null for an impossible age. */
export function latestBirthDate(today: string, years: number): string | null {
  if (years <= 0) return today;
  if (years > OLDEST_YEARS) return null;
  const year = Number(today.slice(0, 4)) - years;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const day = today.slice(5) === '02-29' && !isLeap ? '02-28' : today.slice(5);
  return `${String(year).padStart(4, '0')}-${day}`;
}

type TenantContext = Pick<Context, 'tenantId' | 'timeZones'> & { db: Pick<Tx, 'tenant'> };

/** Returns today's date, `YYYY-MM-DD`, in the tenant's time zone, which ages are based on. */
export const tenantToday = async (ctx: TenantContext & Pick<Context, 'clock'>): Promise<string> =>
  localDay(toMinute(ctx.clock.now()), await tenantZone(ctx));

/** Returns the tenant's IANA time zone. */
export async function tenantZone(ctx: TenantContext): Promise<string> {
  const zones = ctx.timeZones;
  let zone = zones.get(ctx.tenantId);
  if (!zone) {
    const tenant = await ctx.db.tenant.findUnique({ where: { id: ctx.tenantId }, select: { timeZone: true } });
    zone = tenant?.timeZone ?? 'UTC';
    if (tenant) zones.set(ctx.tenantId, zone);
  }
  return zone;
}
