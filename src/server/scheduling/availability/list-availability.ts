import type { AvailabilityView, ListAvailabilityInput } from '#contract/scheduling.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { type Minute, stamp } from '#server/core/zone.ts';
import { readClaims } from '../appointments/appointment.ts';
import { type BookableType, type Calendar, findInCatalogue } from '../catalogue/catalogue.ts';
import { readRange } from './availability-range.ts';
import { freeStarts, knownDays } from './free-times.ts';

/** Free times of a type, ascending by start and then calendar. */
export async function listAvailability(ctx: Context, input: ListAvailabilityInput): Promise<AvailabilityView[]> {
  requireScope(ctx.actor, 'appointments:read');
  const inZone = readRange(input, ctx.clock.now().getTime());
  const { catalogue, type, calendars } = await findInCatalogue(ctx, input);
  if (!inZone) return [];
  const asked = calendars.map((calendar) => ({ calendar, range: inZone(calendar.timeZone) }));
  const wanted = asked.map(({ calendar, range }) => ({ calendar, days: range.days }));
  const known = await knownDays(ctx, type.id, wanted);
  if (known.length === 0) return [];
  const claims = await readClaims(
    ctx,
    calendars.map(({ id }) => id),
    spanOf(known.flatMap(({ startsAt }) => startsAt)),
  );

  const startsOf = byCalendar(known.filter(({ valid }) => valid));
  const claimsOf = byCalendar(claims);
  const slots: { start: Minute; calendar: Calendar }[] = [];
  for (const { calendar, range } of asked) {
    const starts = (startsOf.get(calendar.id) ?? [])
      .flatMap(({ startsAt }) => startsAt)
      .filter((start) => start >= range.from && start <= range.until);
    const mine = claimsOf.get(calendar.id) ?? [];
    for (const start of freeStarts(starts, type, mine, catalogue.types)) slots.push({ start, calendar });
  }
  slots.sort((a, b) => a.start - b.start || a.calendar.id - b.calendar.id);
  return slots.map(({ start, calendar }) => present(type, calendar, start));
}

function byCalendar<T extends { calendarId: number }>(items: T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const group = groups.get(item.calendarId);
    if (group) group.push(item);
    else groups.set(item.calendarId, [item]);
  }
  return groups;
}

/** A day to either side covers any duration and padding. */
function spanOf(starts: Minute[]): { from: Minute; until: Minute } {
  let [from, until] = [Number.MAX_SAFE_INTEGER, 0];
  for (const start of starts) {
    from = Math.min(from, start);
    until = Math.max(until, start);
  }
  return starts.length === 0 ? { from: 0, until: 1 } : { from: from - 1440, until: until + 2880 };
}

const present = (type: BookableType, calendar: Calendar, start: Minute): AvailabilityView => ({
  from_date: stamp(start, calendar.timeZone),
  to_date: stamp(start + type.durationMinutes, calendar.timeZone),
  time_zone: calendar.timeZone,
  appointment_type_id: type.id,
  appointment_type: type.name,
  calendar_id: calendar.id,
  calendar: calendar.name,
  duration_minutes: type.durationMinutes,
});
