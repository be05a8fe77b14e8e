import { Temporal } from 'temporal-polyfill';
import type { Tx } from '#server/core/db.ts';
import { addDays, type Day, localDay, toMinute } from '#server/core/zone.ts';

/** Returns the instant of an hour on a day: the end of the gap when clocks skip it, the first when it occurs twice. */
export const hourOf = (day: Day, hour: number, zone: string): Date =>
  new Date(
    Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from({ hour }) })
      .epochMilliseconds,
  );

/**
 * Returns when the next list is due: at its hour today, or tomorrow when that has passed. Never for the day that was
 * started already or one before it, in any zone.
 */
export function nextListAt({ hour, day }: { hour: number; day: Day | null }, zone: string, now: Date): Date {
  const today = localDay(toMinute(now), zone);
  const isOver = (day !== null && day >= today) || hourOf(today, hour, zone) <= now;
  const first = isOver ? addDays(today, 1) : today;
  return hourOf(day !== null && first <= day ? addDays(day, 1) : first, hour, zone);
}

/** Route key of the tenants with staff users who get a daily list. */
export const TENANTS_WITH_LISTS = 'daily_lists';

/** Serializes per tenant, so that a removal cannot race with a new subscription. */
const lock = (tx: Tx, tenantId: string): Promise<unknown> =>
  tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`daily_lists:${tenantId}`}, 0))`;

export async function addTenantWithLists(tx: Tx, tenantId: string): Promise<void> {
  await lock(tx, tenantId);
  await tx.tenantRoute.createMany({ data: [{ key: TENANTS_WITH_LISTS, tenantId }], skipDuplicates: true });
}

/** Removes the tenant when no staff user is subscribed and no list is being sent. */
export async function removeTenantWithoutLists(tx: Tx, tenantId: string): Promise<void> {
  await lock(tx, tenantId);
  const where = { tenantId, OR: [{ dueAt: { not: null } }, { state: 'sending' }] };
  if ((await tx.dailyList.findFirst({ where, select: { userId: true } })) !== null) return;
  await tx.tenantRoute.deleteMany({ where: { tenantId, key: TENANTS_WITH_LISTS } });
}
