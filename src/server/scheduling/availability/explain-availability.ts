import type { ExplainAvailabilityInput, ExplanationView, NotOfferedReason } from '#contract/availability.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { requireScope } from '#server/core/actor.ts';
import { DAY, MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { invalidParameter } from '#server/core/errors.ts';
import { addDays, localDay, type Minute, stamp, toMinute } from '#server/core/zone.ts';
import { getSchedulingAccount } from '#server/integrations/index.ts';
import {
  AVAILABILITY_TIMEOUT_MS,
  invalidateDays,
  isKnown,
  type KnownDay,
  readDays,
  withTimeout,
} from '#server/mirror/index.ts';
import type { DeclineReason, ProviderAppointment, SchedulingProvider } from '#server/providers/scheduling-provider.ts';
import { type BookableType, type Calendar, type Catalogue, findOfferForReader } from '../catalogue/catalogue.ts';
import { type Claim, freeStarts, listClaims } from './free-slots.ts';
import { findRescheduled, type Rescheduled, startsWithout } from './rescheduled-appointment.ts';

const PROVIDER = SCHEDULING_PROVIDER.name;

/** The reason, its source, and details for the message. */
type Reason = {
  reason: NotOfferedReason | null;
  source: ExplanationView['told_by'];
  /** When the source data was read, in ms. */
  asOf?: number;
  /** The starts before and after the time. */
  nearby?: Minute[];
};

type ExplanationContext = { calendar: { name: string; timeZone: string }; type: { name: string }; isPatient: boolean };

/** Returns the message that explains why a slot is not offered. */
function explanation({ reason, nearby = [] }: Reason, { calendar, type, isPatient }: ExplanationContext): string {
  const who = calendar.name;
  const clock = nearby.map((start) => stamp(start, calendar.timeZone).slice(11, 16));
  switch (reason) {
    case null:
      return `${who} is free then.`;
    case 'past':
      return 'This time has passed.';
    case 'type_not_offered':
      return `${who} does not offer “${type.name}”.`;
    case 'booked':
      return isPatient ? 'This time is taken.' : `${who} has another appointment then, or too close to it.`;
    case 'held':
      return `A booking for this time is being checked with ${PROVIDER}. If nothing came of it, the time is free again within about two minutes, or soon after ${PROVIDER} can be reached again.`;
    case 'list_is_old':
      return `${PROVIDER} offers this time now: the list of times was older.`;
    case 'notice':
      return `This is too soon: ${PROVIDER} takes no bookings at such short notice.`;
    case 'too_far_ahead':
      return `This is too far ahead: ${PROVIDER} takes no bookings for it yet.`;
    case 'block':
      return `${who} has time off then.`;
    case 'no_start':
      return clock.length > 0
        ? `Appointments with ${who} begin at other times, such as ${clock.join(' and ')}.`
        : `Appointments with ${who} begin at other times.`;
    case 'outside_hours':
      return `This seems to be outside the hours of ${who}: ${PROVIDER} has no times then, though nothing is booked.`;
    case 'unknown':
      return `${PROVIDER} does not offer this time, and does not say why.`;
  }
}

/** No calendar offers slots further ahead. */
const HORIZON_MS = 2 * 365 * DAY;
const FAR_MS = 10 * HORIZON_MS;
/** Maximum number of calendars without a named one for which the reason is inferred: one call each. */
const MAX_INFERRED = 12;
/** Time reserved for the response, so that known reasons are returned. */
const SPARE_MS = 300;

type SlotQuery = {
  catalogue: Catalogue;
  type: BookableType;
  start: Minute;
  isFullMinute: boolean;
  isPatient: boolean;
  rescheduled: Rescheduled | null;
};

/**
 * Explains for each calendar why a slot is not offered: from local appointments, from the provider's statements (it
 * checks a time and lists blocks and appointments), and otherwise by inference from the slots that it offers. A patient
 * learns of other patients' appointments only that the slot is taken.
 *
 * @throws 422 `invalid_parameter` (type, calendar); 502, 503, 504 naming the provider, within about five seconds.
 */
export async function explainAvailability(ctx: Context, input: ExplainAvailabilityInput): Promise<ExplanationView[]> {
  requireScope(ctx.actor, 'appointments:read');
  const until = performance.now() + AVAILABILITY_TIMEOUT_MS;
  const { appointment_type_id, calendar_id } = input;
  const { catalogue, type, calendars: offering } = await findOfferForReader(ctx, { appointment_type_id });
  const calendars = calendar_id === undefined ? offering : catalogue.calendars.filter(({ id }) => id === calendar_id);
  if (calendar_id !== undefined && calendars.length === 0)
    throw invalidParameter('calendar_id', 'There is no such calendar.');
  const at = Date.parse(input.from_date);
  const isPatient = ctx.actor.kind === 'patient';
  const rescheduled = await findRescheduled(ctx, input.appointment_id, calendars);
  const query = {
    rescheduled,
    catalogue,
    type,
    start: Math.floor(at / MINUTE),
    isFullMinute: at % MINUTE === 0,
    isPatient,
  };
  const reasons = await withTimeout(findReasons(ctx, query, calendars, until), until - performance.now());
  return calendars.map((calendar) => {
    const explained = reasons.get(calendar.id);
    if (!explained) throw new Error(`No reason was found for calendar ${calendar.id}.`);
    return {
      // Dates far out of range are returned as they were sent.
      from_date:
        Math.abs(at - ctx.clock.now().getTime()) > FAR_MS ? input.from_date : stamp(query.start, calendar.timeZone),
      time_zone: calendar.timeZone,
      appointment_type_id: type.id,
      calendar_id: calendar.id,
      calendar: calendar.name,
      offered: explained.reason === null,
      reason: explained.reason,
      sentence: explanation(explained, { calendar, type, isPatient }),
      told_by: explained.source,
      as_of: new Date(explained.asOf ?? ctx.clock.now().getTime()).toISOString(),
    };
  });
}

async function findReasons(
  ctx: Context,
  query: SlotQuery,
  calendars: Calendar[],
  until: number,
): Promise<Map<number, Reason>> {
  const reasons = new Map<number, Reason>();
  if (query.start * MINUTE <= ctx.clock.now().getTime())
    return new Map(calendars.map(({ id }) => [id, { reason: 'past', source: 'us' }]));
  const { rescheduled } = query;
  const ids = calendars.map(({ id }) => id);
  const around = { from: query.start - DAY / MINUTE, until: query.start + DAY / MINUTE };
  const held = await listClaims(ctx, ids, around);
  const holds = held.filter(({ appointmentId }) => appointmentId !== rescheduled?.id);
  const knownDays = await readKnownDays(ctx, query, calendars);
  for (const calendar of calendars) {
    const own = ownReason(ctx, query, calendar, holds);
    const knownDay = knownDays.get(calendar.id);
    if (own) reasons.set(calendar.id, own);
    else if (knownDay?.startsAt.includes(query.start))
      reasons.set(calendar.id, { reason: null, source: 'provider', asOf: knownDay.fetchedAt });
  }
  const isOwnDay = rescheduled && localDay(query.start, rescheduled.calendar.timeZone) === rescheduled.day;
  if (isOwnDay && !reasons.has(rescheduled.calendar.id)) {
    const starts = await startsWithout(ctx, rescheduled, query.type.id);
    if (starts.includes(query.start)) reasons.set(rescheduled.calendar.id, { reason: null, source: 'provider' });
  }
  const open = calendars.filter(({ id }) => !reasons.has(id));
  if (open.length === 0) return reasons;
  const { provider } = await getSchedulingAccount(ctx);
  // A day that was never listed cannot have an outdated list.
  for (const [id, reason] of await checkAtProvider(provider, query, open, until))
    reasons.set(id, reason.reason === 'list_is_old' && !knownDays.has(id) ? { ...reason, reason: null } : reason);
  // The next list is fetched again.
  const old = calendars.filter(({ id }) => reasons.get(id)?.reason === 'list_is_old');
  await invalidateDays(
    ctx,
    old.map(({ id, timeZone }) => ({ calendarId: id, at: query.start, timeZone })),
  );
  return reasons;
}

/** Returns the reason known locally. */
function ownReason(ctx: Context, query: SlotQuery, calendar: Calendar, holds: Claim[]): Reason | null {
  const { start, type, catalogue, isPatient } = query;
  const now = ctx.clock.now().getTime();
  const localReason = (reason: NotOfferedReason): Reason => ({ reason, source: 'us' });
  if (!calendar.typeIds.includes(type.id)) return localReason('type_not_offered');
  const blocking = holds.filter(
    (hold) => hold.calendarId === calendar.id && freeStarts([start], type, [hold], catalogue.types).length === 0,
  );
  if (blocking.length > 0) return localReason(!isPatient && blocking.every(({ isOpen }) => isOpen) ? 'held' : 'booked');
  if (start * MINUTE > now + HORIZON_MS) return { reason: 'too_far_ahead', source: 'conclusion' };
  if (!query.isFullMinute) return { reason: 'no_start', source: 'conclusion' };
  return null;
}

/** Returns the stored day of each calendar, where it is current. */
async function readKnownDays(
  ctx: Context,
  { type, start }: SlotQuery,
  calendars: Calendar[],
): Promise<Map<number, KnownDay>> {
  const day = localDay(start, 'UTC');
  const ids = calendars.map(({ id }) => id);
  const days = await readDays(ctx, type.id, ids, [addDays(day, -1), addDays(day, 1)]);
  const now = ctx.clock.now().getTime();
  const dayOf = new Map(calendars.map(({ id, timeZone }) => [id, localDay(start, timeZone)]));
  return new Map(
    days
      .filter(
        (stored) => stored.day === dayOf.get(stored.calendarId) && isKnown(stored, ctx.config.scheduling.renewMs, now),
      )
      .map((stored) => [stored.calendarId, stored]),
  );
}

const BY_DECLINE: Partial<Record<DeclineReason, NotOfferedReason>> = {
  notice_too_short: 'notice',
  too_far_ahead: 'too_far_ahead',
  type_not_offered: 'type_not_offered',
};

async function checkAtProvider(
  provider: SchedulingProvider,
  query: SlotQuery,
  calendars: Calendar[],
  until: number,
): Promise<Map<number, Reason>> {
  const { type, start } = query;
  const day = localDay(start, 'UTC');
  // The provider reads whole days in the account's zone, which may be any.
  const dayRange = { firstDay: addDays(day, -1), lastDay: addDays(day, 1) };
  const ids = calendars.map(({ id }) => id);
  const [checks, blocks] = await Promise.all([
    provider.check(stamp(start, 'UTC'), type.id, ids),
    provider.blocks(dayRange, calendars),
  ]);
  const end = start + type.durationMinutes;
  const reasons = new Map<number, Reason>();
  const unexplained: Calendar[] = [];
  for (const [index, calendar] of calendars.entries()) {
    const { isFree, reason: declineReason } = checks[index]!;
    const reason = isFree ? 'list_is_old' : declineReason && BY_DECLINE[declineReason];
    const isBlocked = blocks.some(
      (block) => block.calendarId === calendar.id && toMinute(block.startAt) < end && toMinute(block.endAt) > start,
    );
    if (reason) reasons.set(calendar.id, { reason, source: 'provider' });
    else if (isBlocked) reasons.set(calendar.id, { reason: 'block', source: 'provider' });
    else unexplained.push(calendar);
  }
  for (const [id, reason] of await inferReasons(provider, query, unexplained, dayRange, until)) reasons.set(id, reason);
  return reasons;
}

type DayRange = { firstDay: string; lastDay: string };

/**
 * Infers the reason where the provider says only that the slot is not available, from its bookings and from its slots
 * without them. With several calendars, a reason not found in time is `unknown`.
 */
async function inferReasons(
  provider: SchedulingProvider,
  query: SlotQuery,
  calendars: Calendar[],
  dayRange: DayRange,
  until: number,
): Promise<[number, Reason][]> {
  const [only] = calendars;
  if (!only) return [];
  const isOne = calendars.length === 1;
  const listed = await provider.appointmentsBetween({ ...dayRange, ...(isOne && { calendarId: only.id }) });
  const live = listed.items.filter(({ id, canceled }) => !canceled && id !== query.rescheduled?.providerId);
  const unknown: Reason = { reason: 'unknown', source: 'provider' };
  // A full list may be truncated.
  if (listed.isFull && !isOne) return calendars.map(({ id }) => [id, unknown]);
  return Promise.all(
    calendars.map(async (calendar, index): Promise<[number, Reason]> => {
      const booked = live.filter(({ calendarId }) => calendarId === calendar.id);
      if (overlapsBooking(query, calendar, booked)) return [calendar.id, { reason: 'booked', source: 'provider' }];
      if (isOne) return [calendar.id, await inferReason(provider, query, calendar, booked)];
      if (index >= MAX_INFERRED) return [calendar.id, unknown];
      const inferred = withTimeout(
        inferReason(provider, query, calendar, booked),
        until - performance.now() - SPARE_MS,
      );
      return [calendar.id, await inferred.catch(() => unknown)];
    }),
  );
}

const overlapsBooking = (
  { type, start, catalogue }: SlotQuery,
  { id }: Calendar,
  booked: ProviderAppointment[],
): boolean =>
  booked.some((appointment) => {
    const from = toMinute(appointment.startAt);
    const claim = { calendarId: id, typeId: appointment.typeId, from, until: from + appointment.durationMinutes };
    return freeStarts([start], type, [claim], catalogue.types).length === 0;
  });

/** Infers the reason from the slots offered when all bookings are ignored. */
async function inferReason(
  provider: SchedulingProvider,
  { type, start, rescheduled }: SlotQuery,
  calendar: Calendar,
  booked: ProviderAppointment[],
): Promise<Reason> {
  const day = localDay(start, calendar.timeZone);
  const of = { typeId: type.id, calendarId: calendar.id, timeZone: calendar.timeZone };
  const ignoring = booked.map(({ id }) => id).concat(rescheduled ? rescheduled.providerId : []);
  const times = (await provider.times(day, of, { ignoring })).map(toMinute);
  if (times.includes(start)) return { reason: 'unknown', source: 'provider' };
  const before = times.filter((at) => at < start).at(-1);
  const after = times.find((at) => at > start);
  const isBetween = before !== undefined && after !== undefined && after - before <= Math.max(60, type.durationMinutes);
  return isBetween
    ? { reason: 'no_start', source: 'conclusion', nearby: [before, after] }
    : { reason: 'outside_hours', source: 'conclusion' };
}
