import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { Prisma } from '#server/core/db.ts';
import { type Day, localDay, type Minute } from '#server/core/zone.ts';

/** An answer of Acuity is taken as its present one for this long. */
export const FRESH_MS = 30 * SECOND;
/** For this long it is still given out while a newer one is fetched behind it; then a caller waits. */
export const USABLE_MS = 2 * MINUTE;

/** One calendar's free times of a local day, as Acuity told at `askedAt` (ms); before our own claims are taken off. */
export type KnownDay = { calendarId: number; day: Day; startsAt: Minute[]; askedAt: number; valid: boolean };

/** What is known of these calendars' days; a day that was never asked for is missing. */
export async function readDays(
  ctx: Context,
  typeId: number,
  calendarIds: number[],
  [first, last]: [Day, Day],
): Promise<KnownDay[]> {
  return ctx.db.$queryRaw<KnownDay[]>`
    select calendar_id as "calendarId", day, starts_at::int[] as "startsAt",
      (extract(epoch from fetched_at) * 1000)::float8 as "askedAt", fetched_at > stale_at as valid
    from availability_days
    where tenant_id = ${ctx.tenantId}::uuid and appointment_type_id = ${typeId}
      and calendar_id = any(${calendarIds}::int[]) and day between ${first} and ${last}`;
}

/**
 * Announces a question before it is put to Acuity, so that a change in the meantime finds a row to mark and the answer
 * on its way, which may be older than the change, does not count.
 */
export async function announceDays(ctx: Context, typeId: number, calendarId: number, days: Day[]): Promise<void> {
  await ctx.db.$executeRaw`
    insert into availability_days (tenant_id, appointment_type_id, calendar_id, day, starts_at, fetched_at, stale_at)
    select ${ctx.tenantId}::uuid, ${typeId}, ${calendarId}, day, '{}', 'epoch', 'epoch'
    from unnest(${[...days].sort()}::text[]) as day
    on conflict do nothing`;
}

/** Keeps Acuity's answers, unless a later question was answered before. */
export async function saveDays(
  ctx: Context,
  typeId: number,
  calendarId: number,
  answers: Map<Day, Minute[]>,
  askedAt: Date,
): Promise<void> {
  const rows = [...answers].sort(([a], [b]) => (a < b ? -1 : 1));
  const values = rows.map(
    ([day, starts]) =>
      Prisma.sql`(${ctx.tenantId}::uuid, ${typeId}::int, ${calendarId}::int, ${day}::text, ${starts}::bigint[],
        ${askedAt}::timestamptz, 'epoch'::timestamptz)`,
  );
  if (values.length === 0) return;
  await ctx.db.$executeRaw`
    insert into availability_days as d
      (tenant_id, appointment_type_id, calendar_id, day, starts_at, fetched_at, stale_at)
    values ${Prisma.join(values)}
    on conflict (tenant_id, appointment_type_id, calendar_id, day) do update
      set starts_at = excluded.starts_at, fetched_at = excluded.fetched_at
      where d.fetched_at <= excluded.fetched_at`;
}

/** A time of a calendar was freed or taken: what is known of its day, for every type, no longer counts. */
export async function spoilDays(
  ctx: { tenantId: string; clock: Context['clock']; db: Pick<Tx, '$executeRaw'> },
  times: { calendarId: number; at: Minute; timeZone: string }[],
): Promise<void> {
  const now = ctx.clock.now();
  for (const { calendarId, at, timeZone } of times) {
    const day = localDay(at, timeZone);
    // Locked in one order, so that two changes of one day cannot wait for each other.
    await ctx.db.$executeRaw`
      with spoilt as (
        select appointment_type_id from availability_days
        where tenant_id = ${ctx.tenantId}::uuid and calendar_id = ${calendarId} and day = ${day}
        order by appointment_type_id for update)
      update availability_days d set stale_at = ${now}
      from spoilt s
      where d.tenant_id = ${ctx.tenantId}::uuid and d.calendar_id = ${calendarId} and d.day = ${day}
        and d.appointment_type_id = s.appointment_type_id`;
  }
}
