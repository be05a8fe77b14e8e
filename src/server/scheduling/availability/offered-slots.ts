import type { AvailabilityView } from '#contract/availability.ts';
import { type Minute, stamp } from '#server/core/zone.ts';
import type { KnownDay } from '#server/mirror/index.ts';
import type { BookableType, Calendar } from '../catalogue/catalogue.ts';
import { type Claim, freeStarts } from './free-slots.ts';

/** `from` and `until` are the first and the last requested start, both included. */
type CalendarRange = { calendar: Calendar; range: { from: Minute; until: Minute } };
export type Slot = { start: Minute; calendar: Calendar };

/** Returns the provider's slots within the requested ranges, minus local claims; ascending by start, then calendar. */
export function offeredSlots(
  { type, types }: { type: BookableType; types: BookableType[] },
  ranges: CalendarRange[],
  days: Pick<KnownDay, 'calendarId' | 'startsAt'>[],
  claims: Claim[],
): Slot[] {
  const startsOf = byCalendar(days);
  const claimsOf = byCalendar(claims);
  const slots: Slot[] = [];
  for (const { calendar, range } of ranges) {
    const starts = (startsOf.get(calendar.id) ?? [])
      .flatMap(({ startsAt }) => startsAt)
      .filter((start) => start >= range.from && start <= range.until);
    const own = claimsOf.get(calendar.id) ?? [];
    for (const start of freeStarts(starts, type, own, types)) slots.push({ start, calendar });
  }
  return slots.sort((a, b) => a.start - b.start || a.calendar.id - b.calendar.id);
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

/** Returns the range in which claims may block these starts: a day to either side covers any duration and padding. */
export function spanOf(starts: Minute[]): { from: Minute; until: Minute } {
  let [from, until] = [Number.MAX_SAFE_INTEGER, 0];
  for (const start of starts) {
    from = Math.min(from, start);
    until = Math.max(until, start);
  }
  return starts.length === 0 ? { from: 0, until: 1 } : { from: from - 1440, until: until + 2880 };
}

export const presentSlot = (type: BookableType, { start, calendar }: Slot): AvailabilityView => ({
  from_date: stamp(start, calendar.timeZone),
  to_date: stamp(start + type.durationMinutes, calendar.timeZone),
  time_zone: calendar.timeZone,
  appointment_type_id: type.id,
  appointment_type: type.name,
  calendar_id: calendar.id,
  calendar: calendar.name,
  duration_minutes: type.durationMinutes,
});
