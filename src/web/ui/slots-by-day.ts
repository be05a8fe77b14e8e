import { addDays, localDate, localHour } from './format-time.ts';

/** The fields of an availability entry that the slot picker needs. */
export type Slot = { from_date: string; time_zone: string; calendar_id: number };

type PartOfDay = 'Morning' | 'Afternoon' | 'Evening';
/** `isCurrent`: the current time of the appointment, which is shown but cannot be chosen. */
type SlotTime = { fromDate: string; isCurrent?: true };
export type SlotDay = { date: string; count: number; parts: Map<PartOfDay, SlotTime[]> };

function partOfDay(hour: number): PartOfDay {
  return hour < 12 ? 'Morning' : hour < 17 ? 'Afternoon' : 'Evening';
}

/**
 * Groups slots into seven local days from `firstDay`, in order; a time that several calendars offer is merged. `count`
 * does not include the `current` time.
 */
export function slotsByDay(slots: Slot[], firstDay: string, timeZone: string, current?: string): SlotDay[] {
  const days = Array.from(
    { length: 7 },
    (_, n): SlotDay => ({ date: addDays(firstDay, n), count: 0, parts: new Map() }),
  );
  const byDate = new Map(days.map((day) => [day.date, day]));
  const times = new Map<number, SlotTime>();
  if (current) times.set(Date.parse(current), { fromDate: current, isCurrent: true });
  for (const slot of slots) {
    const instant = Date.parse(slot.from_date);
    if (!times.has(instant)) times.set(instant, { fromDate: slot.from_date });
  }
  for (const [, time] of [...times].sort(([a], [b]) => a - b)) {
    const day = byDate.get(localDate(time.fromDate, timeZone));
    if (!day) continue;
    const part = partOfDay(localHour(time.fromDate, timeZone));
    if (!time.isCurrent) day.count += 1;
    day.parts.set(part, [...(day.parts.get(part) ?? []), time]);
  }
  return days;
}
