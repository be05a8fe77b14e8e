import type { FreeSlots, ListAvailabilityInput } from '#contract/availability.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { messageForPeople } from '#server/core/errors.ts';
import { AVAILABILITY_TIMEOUT_MS, knownDays, reportAge, withTimeout } from '#server/mirror/known-days.ts';
import type { KnownDay } from '#server/mirror/mirrored-days.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import { findOfferForReader, invalidateIfOutdated } from '../catalogue/catalogue.ts';
import { parseRange } from './availability-range.ts';
import { listClaims } from './free-slots.ts';
import { offeredSlots, presentSlot, spanOf } from './offered-slots.ts';
import { findRescheduled, type Rescheduled, startsWithout } from './rescheduled-appointment.ts';

/**
 * Lists the free slots of a type, ascending by start and then calendar, from the local mirror of the provider's
 * availability, with the age of its oldest part.
 *
 * @throws 422 `range_too_long`, `invalid_parameter`; 503 `provider_unavailable` with `Retry-After` when a part is
 * unknown after five seconds, unless `partial`; 502, 503, 504 naming the provider.
 */
export async function listAvailability(ctx: Context, input: ListAvailabilityInput): Promise<FreeSlots> {
  requireScope(ctx.actor, 'appointments:read');
  const inZone = parseRange(input, ctx.clock.now().getTime());
  const until = performance.now() + AVAILABILITY_TIMEOUT_MS;
  const { catalogue, type, calendars } = await findOfferForReader(ctx, input);
  if (!inZone) return { items: [], availability_as_of: null, missing: [], trouble: null };
  const ranges = calendars.map((calendar) => ({ calendar, range: inZone(calendar.timeZone) }));
  const wanted = ranges.map(({ calendar, range }) => ({ calendar, days: range.days }));
  const { days, missing, trouble, gone } = await knownDays(ctx, type.id, wanted, {
    partial: input.partial ?? false,
    patienceMs: until - performance.now(),
  });
  if (gone) await invalidateIfOutdated(ctx, gone);
  const missingKeys = new Set(missing.map(({ calendarId, day }) => `${calendarId}/${day}`));
  const moved = await findRescheduled(ctx, input.appointment_id, calendars);
  const mirrored = days.filter(({ calendarId, day }) => !missingKeys.has(`${calendarId}/${day}`));
  const known = moved ? await withOwnTime(ctx, moved, type.id, mirrored, until) : mirrored;
  const starts = known.flatMap(({ startsAt }) => startsAt);
  const claims =
    starts.length > 0
      ? await listClaims(
          ctx,
          calendars.map(({ id }) => id),
          spanOf(starts),
        )
      : [];
  const others = claims.filter(({ appointmentId }) => appointmentId !== moved?.id);
  const slots = offeredSlots({ type, types: catalogue.types }, ranges, known, others);
  return {
    items: slots.map((slot) => presentSlot(type, slot)),
    availability_as_of: reportAge(ctx, known),
    missing: missing.map(({ calendarId, day }) => ({ calendar_id: calendarId, day })),
    trouble: trouble && messageForPeople(trouble.faults[0]!),
  };
}

/** Adds the slots of the appointment's own day that only the appointment blocks, if the provider responds in time. */
async function withOwnTime(
  ctx: Context,
  moved: Rescheduled,
  typeId: number,
  days: KnownDay[],
  until: number,
): Promise<KnownDay[]> {
  const isOwn = ({ calendarId, day }: KnownDay) => calendarId === moved.calendar.id && day === moved.day;
  if (!days.some(isOwn)) return days;
  try {
    const startsAt = await withTimeout(startsWithout(ctx, moved, typeId), until - performance.now());
    return days.map((stored) => (isOwn(stored) ? { ...stored, startsAt } : stored));
  } catch (error) {
    if (!(error instanceof SchedulingError)) throw error;
    return days;
  }
}
