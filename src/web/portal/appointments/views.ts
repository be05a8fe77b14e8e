import type { AppointmentView } from '#contract/scheduling.ts';
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
