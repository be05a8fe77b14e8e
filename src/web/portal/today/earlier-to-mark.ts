import type { AppointmentView } from '#contract/scheduling.ts';

/** How many of the days before today are listed. */
export const MAX_EARLIER = 10;

type Start = Pick<AppointmentView, 'id' | 'from_date'>;
/** Appointments that were marked on this page, by id, as the mark leaves them. */
export type Marked<Item> = ReadonlyMap<string, Item>;

/**
 * Returns appointments of the days before of which nothing is noted, with those marked on this page in their places, the
 * latest first. `today` are the rows of the current day.
 */
export function earlierToMark<Item extends Start>(
  unmarked: readonly Item[],
  marked: Marked<Item>,
  today: readonly Item[],
): Item[] {
  const others = new Set([...unmarked, ...today].map(({ id }) => id));
  const stay = [...marked.values()].filter(({ id }) => !others.has(id));
  return [...unmarked.slice(0, MAX_EARLIER), ...stay].sort((a, b) => Date.parse(b.from_date) - Date.parse(a.from_date));
}
