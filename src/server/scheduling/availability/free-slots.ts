import type { Context } from '#server/core/context.ts';
import { apiError, type CarelaneError } from '#server/core/errors.ts';
import { addDays, fromMinute, localDay, type Minute, stamp } from '#server/core/zone.ts';
import { getSchedulingAccount } from '#server/integrations/index.ts';
import {
  AVAILABILITY_TIMEOUT_MS,
  isKnown,
  type KnownDay,
  knownDays,
  readDays,
  wasOffered,
  withTimeout,
} from '#server/mirror/index.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import type { BookableType, Calendar, Offer } from '../catalogue/catalogue.ts';

/**
 * A claim on a calendar by a live appointment or an unmatched booking; `until` is exclusive. `isOpen`: the provider's
 * outcome of the request is unknown.
 */
export type Claim = {
  appointmentId: string | null;
  calendarId: number;
  typeId: number;
  from: Minute;
  until: Minute;
  isOpen: boolean;
};

/** Maximum length of an appointment, which bounds the index scan. */
const LONGEST_MINUTES = 24 * 60;

type Paddings = Pick<BookableType, 'paddingBeforeMinutes' | 'paddingAfterMinutes'>;
const NONE: Paddings = { paddingBeforeMinutes: 0, paddingAfterMinutes: 0 };

/**
 * Returns the starts at which an appointment of this type overlaps no claim of the calendar. Two appointments keep the
 * larger of their paddings between them, as at the provider, so that slots next to a new booking are not offered in
 * vain.
 */
export function freeStarts(
  starts: Minute[],
  type: BookableType,
  claims: Pick<Claim, 'typeId' | 'from' | 'until'>[],
  types: BookableType[],
): Minute[] {
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

/**
 * Returns the claims on these calendars that overlap a range. Uses plain comparisons, because row-level security keeps
 * operators that are not leakproof, such as those of ranges, from using an index.
 */
export async function listClaims(
  ctx: Context,
  calendarIds: number[],
  range: { from: Minute; until: Minute },
): Promise<Claim[]> {
  return ctx.db.$queryRaw<Claim[]>`
    select c.appointment_id as "appointmentId", c.calendar_id as "calendarId",
      coalesce(a.appointment_type_id, u.appointment_type_id) as "typeId",
      (extract(epoch from c.start_at) / 60)::int as "from", (extract(epoch from c.end_at) / 60)::int as "until",
      coalesce(a.status = 'pending' or (a.pending_change->>'unknown')::boolean, false) as "isOpen"
    from slot_claims c
    left join appointments a on a.tenant_id = c.tenant_id and a.id = c.appointment_id
    left join unmatched_appointments u on u.tenant_id = c.tenant_id and u.id = c.unmatched_id
    where c.tenant_id = ${ctx.tenantId}::uuid and c.calendar_id = any(${calendarIds}::int[])
      and c.start_at > ${fromMinute(range.from - LONGEST_MINUTES)}::timestamptz
      and c.start_at < ${fromMinute(range.until)}::timestamptz and c.end_at > ${fromMinute(range.from)}::timestamptz`;
}

/**
 * Maximum number of calendars with an unknown day that are fetched singly; above it, one call checks the slot on all of
 * them.
 */
const MAX_SINGLE_READS = 4;

/** Returns the calendars that offer exactly this start, from availability at most `maxAgeMs` old; used for bookings. */
export async function findOfferingCalendars(
  ctx: Context,
  offer: Offer,
  start: Minute,
  maxAgeMs: number,
): Promise<Calendar[]> {
  const { type, calendars } = offer;
  const ids = calendars.map(({ id }) => id);
  const dayOf = ({ timeZone }: Calendar) => localDay(start, timeZone);
  const offeredBy = (days: KnownDay[]) => (calendar: Calendar) =>
    days.some((row) => row.calendarId === calendar.id && row.day === dayOf(calendar) && row.startsAt.includes(start));
  if (calendars.length > MAX_SINGLE_READS) {
    const day = localDay(start, 'UTC');
    const rows = await readDays(ctx, type.id, ids, [addDays(day, -1), addDays(day, 1)]);
    const now = ctx.clock.now().getTime();
    const known = rows.filter((row) => isKnown(row, maxAgeMs, now));
    const unknown = calendars.filter(
      (calendar) => !known.some((row) => row.calendarId === calendar.id && row.day === dayOf(calendar)),
    );
    if (unknown.length > MAX_SINGLE_READS) {
      const { provider } = await getSchedulingAccount(ctx, 'urgent');
      const checkedIds = unknown.map(({ id }) => id);
      const checks = await withTimeout(
        provider.check(stamp(start, 'UTC'), type.id, checkedIds),
        AVAILABILITY_TIMEOUT_MS,
      );
      const valid = new Set(checkedIds.filter((_, index) => checks[index]?.isFree));
      return calendars.filter((calendar) => valid.has(calendar.id) || offeredBy(known)(calendar));
    }
  }
  const wanted = calendars.map((calendar) => ({ calendar, days: [dayOf(calendar)] }));
  const { days } = await knownDays(ctx, type.id, wanted, { maxAgeMs, turn: 'urgent' });
  return calendars.filter(offeredBy(days));
}

const MAX_ALTERNATIVES = 3;
const DAYS_AROUND = 3;
const source = { pointer: '/from_date' };

export const slotNotOffered = (): CarelaneError =>
  apiError('slot_not_offered', 'This time is not offered. Choose one of the times that GET /availability lists.', {
    source,
  });

export const slotPassed = (): CarelaneError =>
  apiError('slot_not_offered', 'This time has passed. Choose one of the times that GET /availability lists.', {
    source,
  });

/**
 * Returns the error for a slot that the provider does not offer: 409 `slot_taken` when it offered the slot before and
 * has given it away, in its console or to another client; 422 `slot_not_offered` when it never did, or its rules no
 * longer allow it.
 */
export async function slotUnavailable(ctx: Context, offer: Offer, start: Minute): Promise<CarelaneError> {
  const { type, calendars } = offer;
  const days = calendars.map(({ id, timeZone }) => ({ calendarId: id, day: localDay(start, timeZone) }));
  if (!(await wasOffered(ctx, type.id, days, start))) return slotNotOffered();
  const ids = calendars.map(({ id }) => id);
  try {
    const { provider } = await getSchedulingAccount(ctx, 'urgent');
    const checks = await provider.check(stamp(start, 'UTC'), type.id, ids);
    const isTaken = checks.every(({ isFree, reason }) => isFree || reason === null || reason === 'not_available');
    return isTaken ? slotTaken(ctx, offer, start) : slotNotOffered();
  } catch (error) {
    if (!(error instanceof SchedulingError)) throw error;
    return slotTaken(ctx, offer, start);
  }
}

/** Returns 409 `slot_taken` with the nearest free slots in the stored availability, without a provider call. */
export async function slotTaken(ctx: Context, offer: Offer, start: Minute): Promise<CarelaneError> {
  const { catalogue, type, calendars } = offer;
  const ids = calendars.map(({ id }) => id);
  const day = localDay(start, 'UTC');
  const now = ctx.clock.now().getTime();
  const days = await readDays(ctx, type.id, ids, [addDays(day, -DAYS_AROUND), addDays(day, DAYS_AROUND)]);
  // Includes invalidated days, for example by the booking that won: their other slots may well be free.
  const usable = days.filter(({ fetchedAt }) => now - fetchedAt <= ctx.config.scheduling.renewMs);
  const span = { from: start - (DAYS_AROUND + 2) * 1440, until: start + (DAYS_AROUND + 2) * 1440 };
  const claims = usable.length > 0 ? await listClaims(ctx, ids, span) : [];
  const free = calendars.flatMap((calendar) => {
    const calendarClaims = claims.filter(({ calendarId }) => calendarId === calendar.id);
    const starts = usable.filter(({ calendarId }) => calendarId === calendar.id).flatMap(({ startsAt }) => startsAt);
    const ahead = starts.filter((at) => at !== start && at * 60_000 > now);
    return freeStarts(ahead, type, calendarClaims, catalogue.types).map((at) => ({ at, calendar }));
  });
  free.sort((a, b) => Math.abs(a.at - start) - Math.abs(b.at - start) || a.at - b.at || a.calendar.id - b.calendar.id);
  // Another time helps more than the same time of another calendar; equal times are neighbors.
  const times = free.filter(({ at }, index) => at !== free[index - 1]?.at);
  const alternatives = times.slice(0, MAX_ALTERNATIVES).map(({ at, calendar }) => ({
    from_date: stamp(at, calendar.timeZone),
    to_date: stamp(at + type.durationMinutes, calendar.timeZone),
    time_zone: calendar.timeZone,
    calendar_id: calendar.id,
    calendar: calendar.name,
  }));
  return apiError('slot_taken', 'This time has just been taken. Choose another.', {
    source,
    meta: { alternatives },
  });
}
