import type { Context } from '#server/core/context.ts';
import { localDay, type Minute } from '#server/core/zone.ts';
import { readClaims } from '../appointments/slot-claims.ts';
import type { Calendar } from '../catalogue/catalogue.ts';
import type { Offer } from '../catalogue/find-in-catalogue.ts';
import { USABLE_MS } from './availability-days.ts';
import { knownDays } from './refresh-days.ts';
import { slotNotOffered, slotPassed, slotTaken } from './slot-refusals.ts';

const ASK_ANEW_MS = 2_000;

/**
 * The calendars that offer exactly this start and that no claim of ours holds. None: 409 `slot_taken` when one of our
 * appointments took it, 422 `slot_not_offered` when nobody offers it, for which Acuity is asked anew if need be.
 */
export async function offeredCalendars(ctx: Context, offer: Offer, start: Minute): Promise<Calendar[]> {
  const { type, calendars } = offer;
  if (start * 60_000 <= ctx.clock.now().getTime()) throw slotPassed();
  const wanted = calendars.map((calendar) => ({ calendar, days: [localDay(start, calendar.timeZone)] }));
  const ids = calendars.map(({ id }) => id);
  for (const maxAgeMs of [USABLE_MS, ASK_ANEW_MS]) {
    const known = await knownDays(ctx, type.id, wanted, maxAgeMs);
    const claims = await readClaims(ctx, ids, { from: start, until: start + type.durationMinutes });
    const claimOf = ({ id }: Calendar) => claims.find(({ calendarId }) => calendarId === id);
    const offering = calendars.filter(({ id }) =>
      known.some((row) => row.calendarId === id && row.startsAt.includes(start)),
    );
    const free = offering.filter((calendar) => !claimOf(calendar));
    if (free.length > 0) return free;
    // Once Acuity has the booking that won, it offers the time no more: the claim still tells who lost a race.
    if (offering.length > 0 || claims.some(({ from }) => from === start)) throw await slotTaken(ctx, offer, start);
  }
  throw slotNotOffered();
}
