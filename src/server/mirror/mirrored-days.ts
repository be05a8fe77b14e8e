import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { type Day, localDay, type Minute } from '#server/core/zone.ts';

/** One calendar's free times of a local day, as the provider told at `askedAt` (ms), before our claims are taken off. */
export type KnownDay = {
  calendarId: number;
  day: Day;
  startsAt: Minute[];
  /** When it was told. */
  askedAt: number;
  /** Nothing has changed since, as far as we know. */
  valid: boolean;
  /** When somebody last wanted it, coarsely; null when nobody has. */
  wantedAt: number | null;
};

/** Whether a day may be given out: it was told within so many ms, and nothing has changed since. */
export const isKnown = (day: Pick<KnownDay, 'valid' | 'askedAt'> | undefined, maxAgeMs: number, now: number): boolean =>
  day?.valid === true && now - day.askedAt <= maxAgeMs;

/** What is known of these calendars' days; a day that was never asked for is missing. */
export async function readDays(
  ctx: Pick<Context, 'db' | 'tenantId'>,
  typeId: number,
  calendarIds: number[],
  [first, last]: [Day, Day],
): Promise<KnownDay[]> {
  // One value: hundreds of rows would cost the driver more than PostgreSQL.
  const [row] = await ctx.db.$queryRaw<{ told: string }[]>`
    select coalesce(json_agg(json_build_array(calendar_id, day, starts_at,
      (extract(epoch from fetched_at) * 1000)::bigint, fetched_at > stale_at,
      (extract(epoch from asked_at) * 1000)::bigint)), '[]')::text as told
    from availability_days
    where tenant_id = ${ctx.tenantId}::uuid and appointment_type_id = ${typeId}
      and calendar_id = any(${calendarIds}::int[]) and day between ${first} and ${last}`;
  const told = JSON.parse(row!.told) as [number, Day, Minute[], number, boolean, number | null][];
  return told.map(([calendarId, day, startsAt, askedAt, valid, wantedAt]) => {
    return { calendarId, day, startsAt, askedAt, valid, wantedAt };
  });
}

/** Whether the calendars' day had this time once, of a time that the provider does not offer any more. */
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
  return row!.was;
}

/** When each day of a calendar was last marked as changed, as it stood when the question about it was announced. */
export type Marks = Map<string, Date>;
const keyOf = (calendarId: number, day: Day) => `${calendarId}/${day}`;

/**
 * Announces a question before it is put to the provider, so that a change in the meantime finds a row to mark and the
 * answer on its way, which may be older than the change, does not count. One statement, however many calendars.
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
 * Keeps the provider's answer about one or more days of the calendars, unless a later question was answered before. It
 * counts where nothing has marked the day since the question was announced, whatever the clock says of who did, or
 * before it was put.
 */
export async function saveDays(
  ctx: Pick<Context, 'db' | 'tenantId'>,
  typeId: number,
  calendarIds: number[],
  answer: { days: Day[]; starts: Minute[]; marks: Marks },
  askedAt: Date,
): Promise<void> {
  const all = calendarIds.flatMap((calendarId) => answer.days.map((day) => ({ calendarId, day })));
  if (all.length === 0) return;
  const marks = all.map(({ calendarId, day }) =>
    (answer.marks.get(keyOf(calendarId, day)) ?? new Date(0)).toISOString(),
  );
  await ctx.db.$executeRaw`
    insert into availability_days as d
      (tenant_id, appointment_type_id, calendar_id, day, starts_at, fetched_at, stale_at)
    select ${ctx.tenantId}::uuid, ${typeId}, calendar_id, day, ${answer.starts}::bigint[], ${askedAt}::timestamptz, mark
    from unnest(${all.map(({ calendarId }) => calendarId)}::int[], ${all.map(({ day }) => day)}::text[],
      ${marks}::timestamptz[]) as told (calendar_id, day, mark)
    order by calendar_id, day
    on conflict (tenant_id, appointment_type_id, calendar_id, day) do update
      set starts_at = excluded.starts_at,
        fetched_at = case when d.stale_at = excluded.stale_at
          then greatest(excluded.fetched_at, d.stale_at + interval '1 ms') else excluded.fetched_at end,
        gone = array(
          select unnest(d.gone || d.starts_at) except select unnest(excluded.starts_at))
      where d.fetched_at <= excluded.fetched_at or d.fetched_at <= d.stale_at`;
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
      update availability_days d
      set stale_at = greatest(${now}::timestamptz, d.fetched_at, d.stale_at + interval '1 ms')
      from spoilt s
      where d.tenant_id = ${ctx.tenantId}::uuid and d.calendar_id = ${calendarId} and d.day = ${day}
        and d.appointment_type_id = s.appointment_type_id`;
  }
}

/** Of these types, and on these calendars, all that is known has to be asked for again: they are offered otherwise now. */
export async function spoilOffers(
  { db, tenantId, clock }: { tenantId: string; clock: Context['clock']; db: Pick<Tx, '$executeRaw'> },
  { typeIds, calendarIds }: { typeIds: number[]; calendarIds: number[] },
): Promise<void> {
  if (typeIds.length + calendarIds.length === 0) return;
  await db.$executeRaw`
    with spoilt as (
      select calendar_id, day, appointment_type_id from availability_days
      where tenant_id = ${tenantId}::uuid
        and (appointment_type_id = any(${typeIds}::int[]) or calendar_id = any(${calendarIds}::int[]))
      order by calendar_id, day, appointment_type_id for update)
    update availability_days d
    set stale_at = greatest(${clock.now()}::timestamptz, d.fetched_at, d.stale_at + interval '1 ms')
    from spoilt s
    where d.tenant_id = ${tenantId}::uuid and d.calendar_id = s.calendar_id and d.day = s.day
      and d.appointment_type_id = s.appointment_type_id`;
}
