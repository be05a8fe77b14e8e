import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { type Day, localDay, type Minute } from '#server/core/zone.ts';

/** One calendar's slots of a local day, as the provider returned them at `fetchedAt`, before local claims are removed. */
export type KnownDay = {
  calendarId: number;
  day: Day;
  startsAt: Minute[];
  /** When the day was fetched, in ms. */
  fetchedAt: number;
  /** False when a later change has invalidated the day. */
  valid: boolean;
  /** When a caller last requested the day, coarsely; null when none has. */
  wantedAt: number | null;
};

/** True when the day is valid and at most `maxAgeMs` old. */
export const isKnown = (
  day: Pick<KnownDay, 'valid' | 'fetchedAt'> | undefined,
  maxAgeMs: number,
  now: number,
): boolean => day?.valid === true && now - day.fetchedAt <= maxAgeMs;

/** Reads the stored days of these calendars; a day that was never requested is missing. */
export async function readDays(
  ctx: Pick<Context, 'db' | 'tenantId'>,
  typeId: number,
  calendarIds: number[],
  [first, last]: [Day, Day],
): Promise<KnownDay[]> {
  // Returns one JSON value: hundreds of rows would cost the driver more than PostgreSQL.
  const [row] = await ctx.db.$queryRaw<{ days: string }[]>`
    select coalesce(json_agg(json_build_array(calendar_id, day, starts_at,
      (extract(epoch from fetched_at) * 1000)::bigint, fetched_at > stale_at,
      (extract(epoch from asked_at) * 1000)::bigint)), '[]')::text as days
    from availability_days
    where tenant_id = ${ctx.tenantId}::uuid and appointment_type_id = ${typeId}
      and calendar_id = any(${calendarIds}::int[]) and day between ${first} and ${last}`;
  if (!row) throw new Error('the statement returned no row');
  const days = JSON.parse(row.days) as [number, Day, Minute[], number, boolean, number | null][];
  return days.map(([calendarId, day, startsAt, fetchedAt, valid, wantedAt]) => {
    return { calendarId, day, startsAt, fetchedAt, valid, wantedAt };
  });
}

/** True when the day once had this start; for a start that the provider no longer offers. */
export async function wasOffered(
  ctx: Pick<Context, 'db' | 'tenantId'>,
  typeId: number,
  days: { calendarId: number; day: Day }[],
  start: Minute,
): Promise<boolean> {
  const [row] = await ctx.db.$queryRaw<{ was: boolean }[]>`
    select exists (
      select from availability_days d
      join unnest(${days.map(({ calendarId }) => calendarId)}::int[], ${days.map(({ day }) => day)}::text[])
        as wanted (calendar_id, day) on d.calendar_id = wanted.calendar_id and d.day = wanted.day
      where d.tenant_id = ${ctx.tenantId}::uuid and d.appointment_type_id = ${typeId}
        and ${start}::bigint = any(d.gone || d.starts_at)) as was`;
  return row?.was === true;
}

/** When each day of a calendar was last invalidated, as read before the provider call. */
export type Marks = Map<string, Date>;
const keyOf = (calendarId: number, day: Day) => `${calendarId}/${day}`;

/**
 * Inserts rows for the days before the provider call, so that a concurrent change can invalidate them and the response,
 * which may be older, does not count. One statement for all calendars.
 */
export async function announceDays(
  ctx: Pick<Context, 'db' | 'tenantId'>,
  typeId: number,
  calendarIds: number[],
  days: Day[],
): Promise<Marks> {
  const rows = await ctx.db.$queryRaw<{ calendarId: number; day: Day; mark: Date }[]>`
    with announced as (
      insert into availability_days (tenant_id, appointment_type_id, calendar_id, day, starts_at, fetched_at, stale_at)
      select ${ctx.tenantId}::uuid, ${typeId}, calendar_id, day, '{}', 'epoch', 'epoch'
      from unnest(${calendarIds}::int[]) calendar_id, unnest(${days}::text[]) day
      order by calendar_id, day
      on conflict do nothing
      returning calendar_id, day, stale_at as mark)
    select calendar_id as "calendarId", day, mark from announced
    union all
    select calendar_id, day, stale_at from availability_days
    where tenant_id = ${ctx.tenantId}::uuid and appointment_type_id = ${typeId}
      and calendar_id = any(${calendarIds}::int[]) and day = any(${days}::text[])`;
  return new Map(rows.map(({ calendarId, day, mark }) => [keyOf(calendarId, day), mark]));
}

/**
 * Stores the provider's response for days of the calendars, unless a later call has been stored already. The days are
 * valid when they were not invalidated since `announceDays` (independent of clocks), or only before the call was sent.
 */
export async function saveDays(
  ctx: Pick<Context, 'db' | 'tenantId'>,
  typeId: number,
  calendarIds: number[],
  response: { days: Day[]; starts: Minute[]; marks: Marks },
  requestedAt: Date,
): Promise<void> {
  const all = calendarIds.flatMap((calendarId) => response.days.map((day) => ({ calendarId, day })));
  if (all.length === 0) return;
  const marks = all.map(({ calendarId, day }) =>
    (response.marks.get(keyOf(calendarId, day)) ?? new Date(0)).toISOString(),
  );
  await ctx.db.$executeRaw`
    insert into availability_days as d
      (tenant_id, appointment_type_id, calendar_id, day, starts_at, fetched_at, stale_at)
    select ${ctx.tenantId}::uuid, ${typeId}, calendar_id, day, ${response.starts}::bigint[], ${requestedAt}::timestamptz, mark
    from unnest(${all.map(({ calendarId }) => calendarId)}::int[], ${all.map(({ day }) => day)}::text[],
      ${marks}::timestamptz[]) as fetched (calendar_id, day, mark)
    order by calendar_id, day
    on conflict (tenant_id, appointment_type_id, calendar_id, day) do update
      set starts_at = excluded.starts_at,
        fetched_at = case when d.stale_at = excluded.stale_at
          then greatest(excluded.fetched_at, d.stale_at + interval '1 ms') else excluded.fetched_at end,
        gone = array(
          select unnest(d.gone || d.starts_at) except select unnest(excluded.starts_at))
      where d.fetched_at <= excluded.fetched_at or d.fetched_at <= d.stale_at`;
}

/** Invalidates the day of a slot that was freed or taken, for every type. */
export async function invalidateDays(
  ctx: { tenantId: string; clock: Context['clock']; db: Pick<Tx, '$executeRaw'> },
  times: { calendarId: number; at: Minute; timeZone: string }[],
): Promise<void> {
  const now = ctx.clock.now();
  for (const { calendarId, at, timeZone } of times) {
    const day = localDay(at, timeZone);
    // Locks rows in a fixed order, so that two changes of one day cannot deadlock.
    await ctx.db.$executeRaw`
      with locked as (
        select appointment_type_id from availability_days
        where tenant_id = ${ctx.tenantId}::uuid and calendar_id = ${calendarId} and day = ${day}
        order by appointment_type_id for update)
      update availability_days d
      set stale_at = greatest(${now}::timestamptz, d.fetched_at, d.stale_at + interval '1 ms')
      from locked
      where d.tenant_id = ${ctx.tenantId}::uuid and d.calendar_id = ${calendarId} and d.day = ${day}
        and d.appointment_type_id = locked.appointment_type_id`;
  }
}

/** Invalidates all stored days of these types and calendars, because their offer has changed. */
export async function invalidateOffers(
  { db, tenantId, clock }: { tenantId: string; clock: Context['clock']; db: Pick<Tx, '$executeRaw'> },
  { typeIds, calendarIds }: { typeIds: number[]; calendarIds: number[] },
): Promise<void> {
  if (typeIds.length + calendarIds.length === 0) return;
  await db.$executeRaw`
    with locked as (
      select calendar_id, day, appointment_type_id from availability_days
      where tenant_id = ${tenantId}::uuid
        and (appointment_type_id = any(${typeIds}::int[]) or calendar_id = any(${calendarIds}::int[]))
      order by calendar_id, day, appointment_type_id for update)
    update availability_days d
    set stale_at = greatest(${clock.now()}::timestamptz, d.fetched_at, d.stale_at + interval '1 ms')
    from locked
    where d.tenant_id = ${tenantId}::uuid and d.calendar_id = locked.calendar_id and d.day = locked.day
      and d.appointment_type_id = locked.appointment_type_id`;
}
