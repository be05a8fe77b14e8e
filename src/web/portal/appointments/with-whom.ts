import type { PractitionerView } from '#contract/practitioners.ts';
import type { CalendarView } from '#contract/scheduling.ts';
import type { VisitFilter } from './use-visits.ts';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NUMBER = /^[1-9]\d{0,8}$/;

/**
 * What an address keeps a list to: a calendar by its number, or a practitioner in all their calendars by their id. Null
 * where it is neither: anybody can write an address, and what means nothing filters nothing.
 */
export function withWhomOf(text: string): Pick<VisitFilter, 'calendar_id' | 'practitioner_id'> | null {
  if (NUMBER.test(text)) return { calendar_id: Number(text) };
  return ID.test(text) ? { practitioner_id: text.toLowerCase() } : null;
}

/** A choice more for each practitioner with several calendars. */
export const severalOf = (calendars: CalendarView[] = [], team: PractitionerView[] = []) =>
  team
    .filter(({ id }) => calendars.filter(({ practitioner_id }) => practitioner_id === id).length > 1)
    .map(({ id, name }) => ({ value: id, label: `${name}, all calendars` }));
