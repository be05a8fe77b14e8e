import { randomInt } from 'node:crypto';
import { openSlots, type Schedule, type SlotRules, type Span } from './availability.ts';
import { occurrences } from './blocks.ts';
import type { Call } from './call.ts';
import { placesLeft } from './classes.ts';
import { acuityError } from './errors.ts';
import type { Account, AppointmentType, Calendar } from './state.ts';
import { DAY_MS, HOUR_MS } from './zone.ts';

/** A requested service of some duration. Without a calendar, any calendar that offers the type qualifies. */
export interface SlotQuery {
  type: AppointmentType;
  duration: number;
  calendar: Calendar | null;
  /** Ids of appointments that do not block the slot. */
  ignore: number[];
}

export const candidateCalendars = (account: Account, { type, calendar }: SlotQuery): Calendar[] =>
  account.calendars.filter(({ id }) => type.calendarIDs.includes(id) && (!calendar || calendar.id === id));

/** Repeats a class's start for each free place, so that callers can count the places. */
function placesOn(call: Call, calendar: Calendar, query: SlotQuery, range: Span): number[] {
  const { earliestAt, latestAt } = rulesFor(call, query);
  return call.account.classes
    .filter(({ typeId, calendarId }) => typeId === query.type.id && calendarId === calendar.id)
    .filter(
      ({ startAt }) => startAt >= Math.max(range.startAt, earliestAt) && startAt < range.endAt && startAt <= latestAt,
    )
    .flatMap((time) => Array<number>(placesLeft(call.account, time, query.ignore)).fill(time.startAt))
    .sort((a, b) => a - b);
}

/** Returns the bookable starts on one calendar, ascending. */
export function slotsOn(call: Call, calendar: Calendar, query: SlotQuery, range: Span): number[] {
  if (query.type.kind !== 'service') return placesOn(call, calendar, query, range);
  const near = { startAt: range.startAt - 2 * DAY_MS, endAt: range.endAt + 2 * DAY_MS };
  return openSlots(scheduleOf(call.account, calendar, near, query.ignore), rulesFor(call, query), range);
}

/**
 * Returns a calendar that is free at this start. Acuity documents only that an
 * available calendar is found when none is named; the emulator picks a random one.
 * @throws ErrorReply `not_available`, `no_available_calendar`,
 *   `not_available_min_hours_in_advance`, `not_available_max_days_in_advance`
 */
export function findFreeCalendar(call: Call, query: SlotQuery, startAt: number, text: string): Calendar {
  const { earliestAt, latestAt } = rulesFor(call, query);
  if (startAt < earliestAt) throw acuityError('not_available_min_hours_in_advance', text);
  if (startAt > latestAt) throw acuityError('not_available_max_days_in_advance', text);
  const moment = { startAt, endAt: startAt + 1 };
  const free = candidateCalendars(call.account, query).filter(
    (calendar) => slotsOn(call, calendar, query, moment).length > 0,
  );
  if (free.length > 0) return free[randomInt(free.length)]!;
  throw query.calendar ? acuityError('not_available', text) : acuityError('no_available_calendar');
}

function rulesFor({ account, now }: Call, { type, duration }: SlotQuery): SlotRules {
  const { interval, minHoursInAdvance, maxDaysInAdvance } = account.limits;
  return {
    duration,
    paddingBefore: type.paddingBefore,
    paddingAfter: type.paddingAfter,
    interval,
    earliestAt: now + minHoursInAdvance * HOUR_MS,
    latestAt: now + maxDaysInAdvance * DAY_MS,
  };
}

function scheduleOf(account: Account, calendar: Calendar, range: Span, ignore: number[]): Schedule {
  const types = new Map(account.types.map((type) => [type.id, type]));
  const isOnCalendar = (entry: Span & { calendarId: number }) =>
    entry.calendarId === calendar.id && entry.startAt < range.endAt && range.startAt < entry.endAt;
  return {
    timezone: calendar.timezone || account.timezone,
    hours: calendar.hours,
    blocked: [
      ...account.blocks.flatMap((block) => occurrences(account, block, range)).filter(isOnCalendar),
      ...account.classes.filter(isOnCalendar),
    ],
    booked: account.appointments
      .filter((entry) => isOnCalendar(entry) && !entry.canceled && !ignore.includes(entry.id))
      .map(({ startAt, endAt, typeId }) => {
        const { paddingBefore = 0, paddingAfter = 0 } = types.get(typeId) ?? {};
        return { startAt, endAt, paddingBefore, paddingAfter };
      }),
  };
}
