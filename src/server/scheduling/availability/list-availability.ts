import type { FreeSlots, ListAvailabilityInput } from '#contract/availability.ts';
import { requireScope } from '#server/core/actor.ts';
import { DAY, MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, messageForPeople } from '#server/core/errors.ts';
import { addDays, type Day, localDay, type Minute, startOfDay } from '#server/core/zone.ts';
import type { KnownDay } from '#server/mirror/index.ts';
import { AVAILABILITY_TIMEOUT_MS, knownDays, reportAge, withTimeout } from '#server/mirror/index.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import { findOfferForReader, invalidateIfOutdated } from '../catalogue/catalogue.ts';
import { listClaims } from './free-slots.ts';
import { offeredSlots, presentSlot, spanOf } from './offered-slots.ts';
import { findRescheduled, type Rescheduled, startsWithout } from './rescheduled-appointment.ts';

const MAX_DAYS = 7;
const MAX_MINUTES = MAX_DAYS * 24 * 60;
/** No calendar offers slots further ahead; such a request gets an empty list without a provider call. */
const HORIZON_MS = 2 * 365 * DAY;

/** Both bounds are inclusive, in one calendar's zone; `days` are its local days. */
type LocalRange = { from: Minute; until: Minute; days: Day[] };
type RangeInput = { from_date: string; to_date?: string | undefined };

const isDay = (text: string) => text.length === 10;
const tooLong = () =>
  apiError('range_too_long', 'At most seven consecutive days can be asked for.', { source: { parameter: 'to_date' } });
const backwards = () =>
  apiError('invalid_parameter', '"to_date" must not be before "from_date".', {
    people: 'The last day must not be before the first.',
    source: { parameter: 'to_date' },
  });

/**
 * Reads the requested range: a date means the whole local day of each calendar, an instant means itself; the default
 * length is seven days. The past is left out.
 *
 * @returns null when the range lies wholly in the past or beyond the horizon.
 * @throws 422 `range_too_long` for more than seven local days, or 168 hours between instants; 422 `invalid_parameter`.
 */
export function parseRange(input: RangeInput, nowMs: number): ((zone: string) => LocalRange) | null {
  const fromMs = Date.parse(input.from_date);
  const toMs = input.to_date === undefined ? fromMs + 6 * DAY : Date.parse(input.to_date);
  const sameKind = input.to_date === undefined || isDay(input.from_date) === isDay(input.to_date);
  if (sameKind && toMs < fromMs) throw backwards();
  if (sameKind && toMs - fromMs > (isDay(input.from_date) ? MAX_DAYS - 1 : MAX_DAYS) * DAY) throw tooLong();
  if (!sameKind && toMs < fromMs - 2 * DAY) throw backwards();
  if (!sameKind && toMs - fromMs > (MAX_DAYS + 2) * DAY) throw tooLong();
  if (fromMs > nowMs + HORIZON_MS || toMs < nowMs - 9 * DAY) return null;
  const soonest = Math.floor(nowMs / MINUTE) + 1;
  const ranges = new Map<string, LocalRange>();
  const rangeIn = (zone: string): LocalRange => {
    const from = isDay(input.from_date) ? startOfDay(input.from_date, zone) : Math.ceil(fromMs / MINUTE);
    const until = endOf(input, from, zone);
    if (until < from - 1) throw backwards();
    if (!sameKind && until >= startOfDay(addDays(localDay(from, zone), MAX_DAYS), zone)) throw tooLong();
    const start = Math.max(from, soonest);
    const days: Day[] = [];
    if (start <= until)
      for (let day = localDay(start, zone); startOfDay(day, zone) <= until; day = addDays(day, 1)) days.push(day);
    return { from: start, until, days };
  };
  // Most calendars share a zone, and zone calculations are the most expensive part of the response.
  return (zone) => {
    const range = ranges.get(zone) ?? rangeIn(zone);
    ranges.set(zone, range);
    return range;
  };
}

function endOf({ from_date, to_date }: RangeInput, from: Minute, zone: string): Minute {
  if (to_date === undefined)
    return isDay(from_date) ? startOfDay(addDays(from_date, MAX_DAYS), zone) - 1 : from + MAX_MINUTES;
  return isDay(to_date) ? startOfDay(addDays(to_date, 1), zone) - 1 : Math.floor(Date.parse(to_date) / MINUTE);
}

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
  const { days, missing, trouble, removedError } = await knownDays(ctx, type.id, wanted, {
    partial: input.partial ?? false,
    maxWaitMs: until - performance.now(),
  });
  if (removedError) await invalidateIfOutdated(ctx, removedError);
  const missingKeys = new Set(missing.map(({ calendarId, day }) => `${calendarId}/${day}`));
  const rescheduled = await findRescheduled(ctx, input.appointment_id, calendars);
  const mirrored = days.filter(({ calendarId, day }) => !missingKeys.has(`${calendarId}/${day}`));
  const current = rescheduled ? await withOwnTime(ctx, rescheduled, type.id, mirrored, until) : mirrored;
  const starts = current.flatMap(({ startsAt }) => startsAt);
  const claims =
    starts.length > 0
      ? await listClaims(
          ctx,
          calendars.map(({ id }) => id),
          spanOf(starts),
        )
      : [];
  const others = claims.filter(({ appointmentId }) => appointmentId !== rescheduled?.id);
  const slots = offeredSlots({ type, types: catalogue.types }, ranges, current, others);
  return {
    items: slots.map((slot) => presentSlot(type, slot)),
    availability_as_of: reportAge(ctx, current),
    missing: missing.map(({ calendarId, day }) => ({ calendar_id: calendarId, day })),
    trouble: trouble && messageForPeople(trouble.faults[0]!),
  };
}

/** Adds the slots of the appointment's own day that only the appointment blocks, if the provider responds in time. */
async function withOwnTime(
  ctx: Context,
  rescheduled: Rescheduled,
  typeId: number,
  days: KnownDay[],
  until: number,
): Promise<KnownDay[]> {
  const isOwn = ({ calendarId, day }: KnownDay) => calendarId === rescheduled.calendar.id && day === rescheduled.day;
  if (!days.some(isOwn)) return days;
  try {
    const startsAt = await withTimeout(startsWithout(ctx, rescheduled, typeId), until - performance.now());
    return days.map((stored) => (isOwn(stored) ? { ...stored, startsAt } : stored));
  } catch (error) {
    if (!(error instanceof SchedulingError)) throw error;
    return days;
  }
}
