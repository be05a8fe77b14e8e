import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { type CarelaneError, refuse } from '#server/core/errors.ts';
import { addDays, type Day, localDay, type Minute, stamp, toMinute } from '#server/core/zone.ts';
import { getAcuityAccount } from '#server/integrations/get-acuity-account.ts';
import { type Claim, readClaims } from '../appointments/appointment.ts';
import type { BookableType, Calendar, Catalogue } from '../catalogue/catalogue.ts';

/** An answer of Acuity is taken as its present one for this long. */
const FRESH_MS = 30 * SECOND;
/** For this long it is still given out while a newer one is fetched behind it; then a caller waits. */
export const USABLE_MS = 2 * MINUTE;

/** One calendar's free times of a local day, as Acuity told at `askedAt` (ms); before our own claims are taken off. */
type KnownDay = { calendarId: number; day: Day; startsAt: Minute[]; askedAt: number; valid: boolean };

/** What is known of these calendars' days; a day that was never asked for is missing. */
async function readDays(
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
async function announceDays(ctx: Context, typeId: number, calendarId: number, days: Day[]): Promise<void> {
  await ctx.db.$executeRaw`
    insert into availability_days (tenant_id, appointment_type_id, calendar_id, day, starts_at, fetched_at, stale_at)
    select ${ctx.tenantId}::uuid, ${typeId}, ${calendarId}, day, '{}', 'epoch', 'epoch'
    from unnest(${[...days].sort()}::text[]) as day
    on conflict do nothing`;
}

/** Keeps Acuity's answers, unless a later question was answered before. */
async function saveDays(
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

type WantedDays = { calendar: Calendar; days: Day[] };

/** An answer that a change overtook is asked for again, but not for ever. */
const MAX_ROUNDS = 3;

/**
 * The wanted days as Acuity last told. What is older than `FRESH_MS` is asked for behind the answer; what is older than
 * `maxAgeMs` (default `USABLE_MS`), spoilt or unknown is waited for.
 */
export async function knownDays(
  ctx: Context,
  typeId: number,
  wanted: WantedDays[],
  maxAgeMs = USABLE_MS,
): Promise<KnownDay[]> {
  const all = wanted.flatMap(({ days }) => days).sort();
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return [];
  const ids = wanted.map(({ calendar }) => calendar.id);
  const known = await readDays(ctx, typeId, ids, [first, last]);
  for (let tries = 0; tries < MAX_ROUNDS; tries += 1) {
    if (!(await refresh(ctx, typeId, wanted, known, maxAgeMs))) break;
    known.splice(0, known.length, ...(await readDays(ctx, typeId, ids, [first, last])));
  }
  return known;
}

/** Sees to what is old; tells whether a caller had to wait, so that what was read before does not count. */
async function refresh(
  ctx: Context,
  typeId: number,
  wanted: WantedDays[],
  known: KnownDay[],
  maxAgeMs: number,
): Promise<boolean> {
  const now = ctx.clock.now().getTime();
  const byKey = new Map(known.map((row) => [`${row.calendarId}/${row.day}`, row]));
  const older = ({ calendar, days }: WantedDays, ageMs: number) =>
    days.filter((day) => {
      const row = byKey.get(`${calendar.id}/${day}`);
      return !row?.valid || now - row.askedAt > ageMs;
    });
  const waits: Promise<void>[] = [];
  for (const part of wanted) {
    const needed = older(part, maxAgeMs);
    const old = older(part, FRESH_MS).filter((day) => !needed.includes(day));
    if (needed.length > 0) waits.push(ask(ctx, typeId, part.calendar, needed));
    if (old.length > 0)
      ask(ctx, typeId, part.calendar, old).catch((error: Error) =>
        ctx.log.warn({ err: error.message }, 'availability could not be refreshed'),
      );
  }
  await Promise.all(waits);
  return waits.length > 0;
}

async function ask(ctx: Context, typeId: number, calendar: Calendar, days: Day[]): Promise<void> {
  const { questions } = ctx.kept.scheduling;
  const keyOf = (day: Day) => `${ctx.tenantId}/${typeId}/${calendar.id}/${day}`;
  const asked = days.flatMap((day) => questions.get(keyOf(day)) ?? []);
  const fresh = days.filter((day) => !questions.has(keyOf(day)));
  if (fresh.length > 0) {
    const question = fetchDays(ctx, typeId, calendar, fresh).finally(() => {
      for (const day of fresh) questions.delete(keyOf(day));
    });
    for (const day of fresh) questions.set(keyOf(day), question);
    asked.push(question);
  }
  await Promise.all(asked);
}

/** For several days Acuity is first asked which of them have any time, which spares a call for each empty one. */
async function fetchDays(ctx: Context, typeId: number, calendar: Calendar, days: Day[]): Promise<void> {
  const { acuity } = await getAcuityAccount(ctx);
  const of = { typeId, calendarId: calendar.id, timeZone: calendar.timeZone };
  await announceDays(ctx, typeId, calendar.id, days);
  const askedAt = ctx.clock.now();
  let open = days;
  if (days.length > 1) {
    const months = [...new Set(days.map((day) => day.slice(0, 7)))];
    const dates = new Set((await Promise.all(months.map((month) => acuity.dates(month, of)))).flat());
    open = days.filter((day) => dates.has(day));
  }
  const answers = new Map(days.map((day): [Day, number[]] => [day, []]));
  await Promise.all(
    open.map(async (day) => {
      const starts = (await acuity.times(day, of)).map(toMinute);
      answers.set(
        day,
        [...new Set(starts)].sort((a, b) => a - b),
      );
    }),
  );
  await saveDays(ctx, typeId, calendar.id, answers, askedAt);
}

type Paddings = Pick<BookableType, 'paddingBeforeMinutes' | 'paddingAfterMinutes'>;
const NONE: Paddings = { paddingBeforeMinutes: 0, paddingAfterMinutes: 0 };

/**
 * The starts at which an appointment of this type would meet no claim of the calendar. Two appointments keep the larger
 * of the paddings between them, as Acuity does, so a time beside a fresh booking is not offered in vain.
 */
export function freeStarts(starts: Minute[], type: BookableType, claims: Claim[], types: BookableType[]): Minute[] {
  if (claims.length === 0) return starts;
  const busy = claims.map((claim) => {
    const { paddingBeforeMinutes, paddingAfterMinutes } = types.find(({ id }) => id === claim.typeId) ?? NONE;
    return {
      from: claim.from - Math.max(type.paddingAfterMinutes, paddingBeforeMinutes),
      until: claim.until + Math.max(type.paddingBeforeMinutes, paddingAfterMinutes),
    };
  });
  return starts.filter(
    (start) => !busy.some(({ from, until }) => start < until && start + type.durationMinutes > from),
  );
}

const MAX_ALTERNATIVES = 3;
const DAYS_AROUND = 3;
const source = { pointer: '/from_date' };

export const slotNotOffered = (): CarelaneError =>
  refuse('slot_not_offered', 'This time is not offered. Choose one of the times that GET /availability lists.', {
    source,
  });

export const slotPassed = (): CarelaneError =>
  refuse('slot_not_offered', 'This time has passed. Choose one of the times that GET /availability lists.', { source });

/** 409 `slot_taken` with the nearest times that are free as far as is known here; Acuity is not asked for them. */
export async function slotTaken(
  ctx: Context,
  offer: { catalogue: Catalogue; type: BookableType; calendars: Calendar[] },
  start: Minute,
): Promise<CarelaneError> {
  const { catalogue, type, calendars } = offer;
  const ids = calendars.map(({ id }) => id);
  const day = localDay(start, 'UTC');
  const now = ctx.clock.now().getTime();
  const days = await readDays(ctx, type.id, ids, [addDays(day, -DAYS_AROUND), addDays(day, DAYS_AROUND)]);
  const usable = days.filter(({ valid, askedAt }) => valid && now - askedAt <= USABLE_MS);
  const span = { from: start - (DAYS_AROUND + 2) * 1440, until: start + (DAYS_AROUND + 2) * 1440 };
  const claims = usable.length > 0 ? await readClaims(ctx, ids, span) : [];
  const free = calendars.flatMap((calendar) => {
    const mine = claims.filter(({ calendarId }) => calendarId === calendar.id);
    const starts = usable.filter(({ calendarId }) => calendarId === calendar.id).flatMap(({ startsAt }) => startsAt);
    const ahead = starts.filter((at) => at !== start && at * 60_000 > now);
    return freeStarts(ahead, type, mine, catalogue.types).map((at) => ({ at, calendar }));
  });
  free.sort((a, b) => Math.abs(a.at - start) - Math.abs(b.at - start) || a.at - b.at || a.calendar.id - b.calendar.id);
  const alternatives = free.slice(0, MAX_ALTERNATIVES).map(({ at, calendar }) => ({
    from_date: stamp(at, calendar.timeZone),
    to_date: stamp(at + type.durationMinutes, calendar.timeZone),
    time_zone: calendar.timeZone,
    calendar_id: calendar.id,
    calendar: calendar.name,
  }));
  return refuse('slot_taken', 'Somebody else has just taken this time. Choose another.', {
    source,
    meta: { alternatives },
  });
}
