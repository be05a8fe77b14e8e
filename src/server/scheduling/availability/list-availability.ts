import type { FreeTimes, ListAvailabilityInput } from '#contract/availability.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { wordsForPeople } from '#server/core/errors.ts';
import { knownDays, noteAge, PATIENCE_MS } from '#server/mirror/known-days.ts';
import { findInTime, isCatalogueOld } from '../catalogue/catalogue.ts';
import { readRange } from './availability-range.ts';
import { readClaims } from './free-times.ts';
import { offeredTimes, presentSlot, spanOf } from './offered-times.ts';

/**
 * Free times of a type, ascending by start and then calendar, from our mirror of what Acuity offers. Tells how old the
 * oldest part of it is.
 *
 * Errors: 422 `range_too_long`, `invalid_parameter`; 503 `provider_unavailable` with `Retry-After` when not all is known
 * within five seconds, unless `partial`; 502, 503, 504 naming Acuity.
 */
export async function listAvailability(ctx: Context, input: ListAvailabilityInput): Promise<FreeTimes> {
  requireScope(ctx.actor, 'appointments:read');
  const inZone = readRange(input, ctx.clock.now().getTime());
  const since = performance.now();
  const { catalogue, type, calendars } = await findInTime(ctx, input);
  if (!inZone) return { items: [], availability_as_of: null, missing: [], trouble: null };
  const asked = calendars.map((calendar) => ({ calendar, range: inZone(calendar.timeZone) }));
  const wanted = asked.map(({ calendar, range }) => ({ calendar, days: range.days }));
  const { days, missing, trouble, gone } = await knownDays(ctx, type.id, wanted, {
    partial: input.partial ?? false,
    patienceMs: PATIENCE_MS - (performance.now() - since),
  });
  if (gone) await isCatalogueOld(ctx, gone);
  const lacking = new Set(missing.map(({ calendarId, day }) => `${calendarId}/${day}`));
  const told = days.filter(({ calendarId, day }) => !lacking.has(`${calendarId}/${day}`));
  const starts = told.flatMap(({ startsAt }) => startsAt);
  const claims =
    starts.length > 0
      ? await readClaims(
          ctx,
          calendars.map(({ id }) => id),
          spanOf(starts),
        )
      : [];
  const slots = offeredTimes({ type, types: catalogue.types }, asked, told, claims);
  return {
    items: slots.map((slot) => presentSlot(type, slot)),
    availability_as_of: noteAge(ctx, told),
    missing: missing.map(({ calendarId, day }) => ({ calendar_id: calendarId, day })),
    trouble: trouble && wordsForPeople(trouble.faults[0]!),
  };
}
