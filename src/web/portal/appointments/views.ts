import type { AppointmentView } from '#contract/scheduling.ts';
import type { VisitFilter } from './use-visits.ts';

type View = 'upcoming' | 'past' | 'canceled' | 'all';
export const VIEWS: { value: View; label: string }[] = [
  { value: 'upcoming', label: 'Upcoming' },
  { value: 'past', label: 'Past' },
  { value: 'canceled', label: 'Canceled' },
  { value: 'all', label: 'All' },
];

type Status = AppointmentView['status'];
export const STATUSES: Status[] = ['scheduled', 'canceled', 'no_show'];
/** Statuses that a view can still be kept to; the others have one each. */
export const STATUSES_OF: Record<View, Status[]> = {
  upcoming: [],
  past: ['scheduled', 'no_show'],
  canceled: [],
  all: ['scheduled', 'no_show', 'canceled'],
};

/** @param status as the address of the page says it; an address with a status and no view means all of them */
export function viewOf(view: string, status: string): View {
  return VIEWS.find(({ value }) => value === view)?.value ?? (status ? 'all' : 'upcoming');
}

/** What a view asks the server for: what is to come soonest first, what is over latest first. */
export function filterOf(view: View, statuses: Status[]): VisitFilter {
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
