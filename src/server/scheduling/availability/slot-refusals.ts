import type { Context } from '#server/core/context.ts';
import { type CarelaneError, refuse } from '#server/core/errors.ts';
import { addDays, localDay, type Minute, stamp } from '#server/core/zone.ts';
import { readClaims } from '../appointments/slot-claims.ts';
import type { BookableType, Calendar, Catalogue } from '../catalogue/catalogue.ts';
import { readDays, USABLE_MS } from './availability-days.ts';
import { freeStarts } from './free-starts.ts';

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
