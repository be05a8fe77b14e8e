import type { WaitingView } from '#contract/visits.ts';

/** Key of an arrival; a patient who left and came back has arrived again. */
const keyOf = ({ appointment_id, waiting_since }: WaitingView): string => `${appointment_id} ${waiting_since}`;

/** Remembers known arrivals. The first call reports none, because the page shows the list itself. */
export function createArrivalTracker() {
  let seen: Set<string> | null = null;
  return (waiting: readonly WaitingView[]): WaitingView[] => {
    const before = seen;
    seen = new Set(waiting.map(keyOf));
    return before ? waiting.filter((entry) => !before.has(keyOf(entry))) : [];
  };
}

/** A practitioner is notified of their own and of unassigned patients; admins of all. */
export const waitingFor = (waiting: readonly WaitingView[], user: { id: string; role: string }): WaitingView[] =>
  waiting.filter(
    ({ practitioner_id }) => user.role === 'admin' || practitioner_id === null || practitioner_id === user.id,
  );

/** A patient who leaves without notice causes no event, so polling is more frequent while a patient waits. */
const WHILE_WAITING_MS = 10_000;
/** Arrivals come as live events; this covers a connection to the service that broke unnoticed. */
const OTHERWISE_MS = 20_000;

/** Milliseconds until the waiting patients are requested again; `waiting` is undefined before the first response. */
export const pollIntervalMs = (waiting: readonly unknown[] | undefined): number =>
  waiting?.length ? WHILE_WAITING_MS : OTHERWISE_MS;
