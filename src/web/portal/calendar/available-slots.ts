import type { AvailabilityView } from '#contract/availability.ts';
import type { AppointmentSummary } from '../appointments/appointment.ts';

/** An available slot; times in epoch milliseconds. */
export type AvailableSlot = { calendarId: number; at: number; until: number; fromDate: string };
/** A period in which a calendar can be booked without a gap; in epoch milliseconds. */
export type BookablePeriod = { calendarId: number; from: number; until: number };

export const toAvailableSlots = (items: AvailabilityView[]): AvailableSlot[] =>
  items.map(({ calendar_id, from_date, to_date }) => ({
    calendarId: calendar_id,
    at: Date.parse(from_date),
    until: Date.parse(to_date),
    fromDate: from_date,
  }));

/** Merges overlapping and adjacent slots, so that hundreds of them render as a few shaded areas. */
export function mergeSlots(times: AvailableSlot[]): BookablePeriod[] {
  const periods: BookablePeriod[] = [];
  const last = new Map<number, BookablePeriod>();
  for (const { calendarId, at, until } of [...times].sort((a, b) => a.at - b.at)) {
    const open = last.get(calendarId);
    if (open && at <= open.until) open.until = Math.max(open.until, until);
    else {
      const next = { calendarId, from: at, until };
      last.set(calendarId, next);
      periods.push(next);
    }
  }
  return periods;
}

/** The slot that a press at a moment means: the last one that has begun by then and has not ended. */
export const slotAt = (times: AvailableSlot[], calendarId: number, at: number): AvailableSlot | null =>
  times
    .filter((time) => time.calendarId === calendarId && time.at <= at && at < time.until)
    .reduce<AvailableSlot | null>((latest, time) => (latest && latest.at > time.at ? latest : time), null);

/** The slots of a calendar that are nearest to a moment, ascending. */
export const nearestSlots = (times: AvailableSlot[], calendarId: number, at: number, count: number): AvailableSlot[] =>
  times
    .filter((time) => time.calendarId === calendarId)
    .sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at) || a.at - b.at)
    .slice(0, count)
    .sort((a, b) => a.at - b.at);

type Drop = { appointment: AppointmentSummary; calendarId: number; at: number; now: number };
const MAX_NEAREST = 3;

/**
 * Outcome of a drop. `unknown`: availability is not loaded, or lacks slots that only the appointment itself blocks; the
 * server decides. `nearest`: the nearest slots that are offered instead.
 */
export type DropResult =
  | { kind: 'same' | 'past' | 'offered' | 'unknown' }
  | { kind: 'not_offered'; nearest: AvailableSlot[] };

export function validateDrop(
  { appointment, calendarId, at, now }: Drop,
  times: AvailableSlot[] | undefined,
): DropResult {
  const isSameCalendar = calendarId === appointment.calendar_id;
  const [from, until] = [Date.parse(appointment.from_date), Date.parse(appointment.to_date)];
  if (isSameCalendar && at === from) return { kind: 'same' };
  if (at <= now) return { kind: 'past' };
  if (!times) return { kind: 'unknown' };
  if (times.some((time) => time.calendarId === calendarId && time.at === at)) return { kind: 'offered' };
  const overlapsItself = isSameCalendar && at < until && at + (until - from) > from;
  return overlapsItself
    ? { kind: 'unknown' }
    : { kind: 'not_offered', nearest: nearestSlots(times, calendarId, at, MAX_NEAREST) };
}
