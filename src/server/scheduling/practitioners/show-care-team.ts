import type { CareTeamView, PractitionerCalendarView, UpcomingAppointments } from '#contract/practitioners.ts';
import { requireStaff } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { stamp, toMinute } from '#server/core/zone.ts';
import type { BookableType, Calendar } from '../catalogue/catalogue.ts';
import { readKnownAccount } from '../catalogue/catalogue.ts';
import { getCatalogueOrEmpty, listCareTeam, typesOf } from './care-team.ts';

/** Maximum length of an appointment at the provider, which bounds the index scan. */
const LONGEST_MS = DAY;

/**
 * Returns for the portal the practitioners with their calendars and upcoming appointments, and the calendars without a
 * practitioner. Staff users only.
 */
export async function showCareTeam(ctx: Context): Promise<CareTeamView> {
  requireStaff(ctx.actor, 'appointments:read');
  const { types, calendars } = await getCatalogueOrEmpty(ctx);
  const ids = calendars.map(({ id }) => id);
  const [{ connection }, team, ahead, outside] = await Promise.all([
    readKnownAccount(ctx),
    listCareTeam(ctx, calendars),
    listUpcoming(ctx, ids),
    listUpcomingOutside(ctx, ids),
  ]);
  const members = new Set(team.map(({ id }) => id));
  return {
    connection,
    practitioners: team.map(({ id, name, email, calendars: own }) => {
      const ownOutside = outside.filter(({ practitionerId }) => practitionerId === id);
      return {
        id,
        name,
        email,
        calendars: own.map((calendar) => onPage(calendar, types)),
        outside: ownOutside.map(({ calendar }) => calendar),
        visits: combine([...own.map((calendar) => ahead.get(calendar.id)), ...ownOutside.map(({ visits }) => visits)]),
      };
    }),
    outside: byCalendar(outside.filter(({ practitionerId }) => !members.has(practitionerId ?? ''))),
    unmatched: calendars
      .filter(({ practitionerId }) => practitionerId === null)
      .map((calendar) => ({
        ...onPage(calendar, types),
        emails: calendar.emails,
        visits: combine([ahead.get(calendar.id)]),
      })),
  };
}

const onPage = (calendar: Calendar, types: BookableType[]): PractitionerCalendarView => ({
  id: calendar.id,
  name: calendar.name,
  time_zone: calendar.timeZone,
  appointment_types: typesOf([calendar], types),
});

/** For each calendar, the number of appointments that are not over and the next one to start, in one statement. */
async function listUpcoming(
  { db, tenantId, clock }: Context,
  ids: number[],
): Promise<Map<number, UpcomingAppointments>> {
  const now = clock.now();
  const rows = await db.$queryRaw<(Ahead & { calendarId: number })[]>`
    select c.calendar_id as "calendarId", coalesce(b.upcoming, 0)::int as upcoming, n.id, n.start_at as "startAt",
      n.time_zone as "timeZone"
    from unnest(${ids}::int[]) c (calendar_id)
    left join lateral (
      select count(*) as upcoming from appointments
      where tenant_id = ${tenantId}::uuid and calendar_id = c.calendar_id and status = 'scheduled'
        and end_at > ${now} and start_at > ${new Date(now.getTime() - LONGEST_MS)}) b on true
    left join lateral (
      select id, start_at, time_zone from appointments
      where tenant_id = ${tenantId}::uuid and calendar_id = c.calendar_id and status = 'scheduled' and start_at > ${now}
      order by start_at, id limit 1) n on true`;
  return new Map(rows.map((row) => [row.calendarId, aheadOf(row)]));
}

type Ahead = { upcoming: number; id: string | null; startAt: Date | null; timeZone: string | null };

const aheadOf = ({ upcoming, id, startAt, timeZone }: Ahead): UpcomingAppointments => ({
  upcoming,
  next: id && startAt && timeZone ? { id, from_date: stamp(toMinute(startAt), timeZone), time_zone: timeZone } : null,
});

type Outside = { calendarId: number; calendar: string; practitionerId: string | null; visits: UpcomingAppointments };

/**
 * The same for calendars that the provider does not offer, known only from their appointments; one row per
 * practitioner.
 */
async function listUpcomingOutside({ db, tenantId, clock }: Context, ids: number[]): Promise<Outside[]> {
  const now = clock.now();
  const rows = await db.$queryRaw<(Ahead & Omit<Outside, 'visits'>)[]>`
    select calendar_id as "calendarId", max(calendar) as calendar, practitioner_id as "practitionerId",
      count(*)::int as upcoming, min(start_at) filter (where start_at > ${now}) as "startAt",
      (array_agg(id order by start_at, id) filter (where start_at > ${now}))[1] as id,
      (array_agg(time_zone order by start_at, id) filter (where start_at > ${now}))[1] as "timeZone"
    from appointments
    where tenant_id = ${tenantId}::uuid and status = 'scheduled' and end_at > ${now}
      and start_at > ${new Date(now.getTime() - LONGEST_MS)} and calendar_id <> all(${ids}::int[])
    group by calendar_id, practitioner_id order by max(calendar), calendar_id`;
  return rows.map(({ calendarId, calendar, practitionerId, ...row }) => ({
    ...{ calendarId, calendar, practitionerId },
    visits: aheadOf(row),
  }));
}

/** One calendar may have had several practitioners. */
const byCalendar = (all: Outside[]): CareTeamView['outside'] =>
  all
    .filter(({ calendarId: id }, index) => all.findIndex(({ calendarId }) => calendarId === id) === index)
    .map(({ calendarId: id, calendar: name }) => {
      const same = all.filter(({ calendarId }) => calendarId === id);
      return { id, name, visits: combine(same.map(({ visits }) => visits)) };
    });

/** Sums the upcoming appointments of several calendars and picks the soonest. */
const combine = (all: (UpcomingAppointments | undefined)[]): UpcomingAppointments => {
  const defined = all.flatMap((appointments) => appointments ?? []);
  const soonest = defined
    .flatMap(({ next }) => next ?? [])
    .sort((a, b) => Date.parse(a.from_date) - Date.parse(b.from_date));
  return { upcoming: defined.reduce((sum, { upcoming }) => sum + upcoming, 0), next: soonest[0] ?? null };
};
