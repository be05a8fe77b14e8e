import type { WaitingView } from '#contract/visits.ts';

/** Key of an arrival; a patient who left and came back has arrived again. */
const keyOf = ({ appointment_id, waiting_since }: WaitingView): string => `${appointment_id} ${waiting_since}`;

/** Remembers known arrivals. The first call reports none, because the page shows the list itself. */
export function createArrivalTracker() {
  let seen: Set<string> | null = null;
  return (waiting: readonly WaitingView[]): WaitingView[] => {
    const before = seen;
    seen = new Set(waiting.map(keyOf));
    return before ? waiting.filter((one) => !before.has(keyOf(one))) : [];
  };
}

/** A practitioner is notified of their own and of unassigned patients; admins of all. */
export const waitingFor = (waiting: readonly WaitingView[], user: { id: string; role: string }): WaitingView[] =>
  waiting.filter(
    ({ practitioner_id }) => user.role === 'admin' || practitioner_id === null || practitioner_id === user.id,
  );
