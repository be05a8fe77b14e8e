import type { PractitionerView } from '#contract/practitioners.ts';
import type { AppointmentView, CalendarView } from '#contract/scheduling.ts';
import { formerName } from '../clinic/former-name.ts';
import type { AppointmentFilter } from './use-appointments.ts';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NUMBER = /^[1-9]\d{0,8}$/;

/**
 * Parses the filter of a URL: a calendar by its number, or a practitioner with all their calendars by id. Null for
 * other values: URLs are user input, and an unknown value filters nothing.
 */
export function parsePractitionerFilter(
  text: string,
): Pick<AppointmentFilter, 'calendar_id' | 'practitioner_id'> | null {
  if (NUMBER.test(text)) return { calendar_id: Number(text) };
  return ID.test(text) ? { practitioner_id: text.toLowerCase() } : null;
}

type Known = {
  calendars: Pick<CalendarView, 'id' | 'name' | 'practitioner_id'>[] | undefined;
  team: Pick<PractitionerView, 'id' | 'name'>[] | undefined;
  visits: Pick<AppointmentView, 'calendar_id' | 'calendar'>[] | undefined;
  whose: string;
};

/**
 * Filter options: each calendar, including former ones that appointments still use, and each practitioner with several
 * calendars. The value from the URL is always included.
 */
export function practitionerFilterOptions({ calendars = [], team = [], visits = [], whose }: Known) {
  const names = new Map(calendars.map(({ id, name }) => [id, name]));
  for (const { calendar_id, calendar } of visits)
    if (!names.has(calendar_id)) names.set(calendar_id, formerName(calendar, calendars));
  const asked = parsePractitionerFilter(whose);
  if (asked?.calendar_id && !names.has(asked.calendar_id)) names.set(asked.calendar_id, `Calendar ${whose}`);
  const several = team.filter(
    ({ id }) =>
      id === asked?.practitioner_id || calendars.filter(({ practitioner_id }) => practitioner_id === id).length > 1,
  );
  const isUnknown = asked?.practitioner_id && !several.some(({ id }) => id === asked.practitioner_id);
  return [
    ...[...names].map(([id, label]) => ({ value: String(id), label })),
    ...several.map(({ id, name }) => ({ value: id, label: `${name}, all calendars` })),
    ...(isUnknown ? [{ value: whose, label: 'One practitioner' }] : []),
  ];
}
