import type { PractitionerView } from '#contract/practitioners.ts';
import type { AppointmentView, CalendarView } from '#contract/scheduling.ts';
import { formerName } from '../clinic/former-name.ts';
import type { AppointmentFilter } from './use-appointments.ts';

type View = 'upcoming' | 'past' | 'canceled' | 'all';
export const VIEWS: { value: View; label: string }[] = [
  { value: 'upcoming', label: 'Upcoming' },
  { value: 'past', label: 'Past' },
  { value: 'canceled', label: 'Canceled' },
  { value: 'all', label: 'All' },
];

type Status = AppointmentView['status'];
export const STATUSES: Status[] = ['scheduled', 'canceled', 'no_show'];
/** Statuses that a view can be filtered by; the others have a single status. */
export const STATUSES_OF: Record<View, Status[]> = {
  upcoming: [],
  past: ['scheduled', 'no_show'],
  canceled: [],
  all: ['scheduled', 'no_show', 'canceled'],
};

/** @param status from the page's URL; a URL with a status and no view shows all appointments */
export function viewOf(view: string, status: string): View {
  return VIEWS.find(({ value }) => value === view)?.value ?? (status ? 'all' : 'upcoming');
}

/** Query of a view: upcoming appointments soonest first, past ones latest first. */
export function filterOf(view: View, statuses: Status[]): AppointmentFilter {
  const chosen = statuses.filter((status) => STATUSES_OF[view].includes(status));
  const named = chosen.length > 0 ? { status: chosen } : {};
  switch (view) {
    case 'upcoming':
      return { period: 'upcoming', sort_by: 'from_date' };
    case 'past':
      return { period: 'past', ...named };
    case 'canceled':
      return { status: ['canceled'], sort_by: 'next' };
    case 'all':
      return { status: STATUSES, sort_by: 'next', ...named };
  }
}

/** Booked appointments of which nothing is noted. */
export const NOTHING_NOTED = { status: ['scheduled'], checked_in: false, completed: false } satisfies AppointmentFilter;

/** Filters by what staff noted of a booked appointment, by their value in the URL. */
export const ATTENDANCE = [
  { value: '', label: 'Any attendance', filter: {} },
  { value: 'checked_in', label: 'Checked in', filter: { checked_in: true } },
  { value: 'completed', label: 'Took place', filter: { completed: true } },
  { value: 'open', label: 'Nothing noted yet', filter: NOTHING_NOTED },
] satisfies { value: string; label: string; filter: AppointmentFilter }[];

/** URL that exports the list with its filter; always sorted soonest first. */
export function exportOf({ status, scheduling_issue, sort_by: _, ...rest }: AppointmentFilter): string {
  const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  if (status) query.set('status', status.join(','));
  if (scheduling_issue) query.set('scheduling_issue', scheduling_issue.join(','));
  return `/api/appointments/export?${query}`;
}

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

type FilterInput = {
  calendars: Pick<CalendarView, 'id' | 'name' | 'practitioner_id'>[] | undefined;
  team: Pick<PractitionerView, 'id' | 'name'>[] | undefined;
  appointments: Pick<AppointmentView, 'calendar_id' | 'calendar'>[] | undefined;
  practitioner: string;
};

/**
 * Filter options: each calendar, including former ones that appointments still use, and each practitioner with several
 * calendars. The value from the URL is always included.
 */
export function practitionerFilterOptions({ calendars = [], team = [], appointments = [], practitioner }: FilterInput) {
  const names = new Map(calendars.map(({ id, name }) => [id, name]));
  for (const { calendar_id, calendar } of appointments)
    if (!names.has(calendar_id)) names.set(calendar_id, formerName(calendar, calendars));
  const filter = parsePractitionerFilter(practitioner);
  if (filter?.calendar_id && !names.has(filter.calendar_id)) names.set(filter.calendar_id, `Calendar ${practitioner}`);
  const withAllCalendars = team.filter(
    ({ id }) =>
      id === filter?.practitioner_id || calendars.filter(({ practitioner_id }) => practitioner_id === id).length > 1,
  );
  const isMissing = filter?.practitioner_id && !withAllCalendars.some(({ id }) => id === filter.practitioner_id);
  return [
    ...[...names].map(([id, label]) => ({ value: String(id), label })),
    ...withAllCalendars.map(({ id, name }) => ({ value: id, label: `${name}, all calendars` })),
    ...(isMissing ? [{ value: practitioner, label: 'One practitioner' }] : []),
  ];
}
