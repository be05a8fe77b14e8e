import type { WaitingView } from '#contract/visits.ts';

/** Who sat down when; somebody who has gone and come back has come anew. */
const keyOf = ({ appointment_id, waiting_since }: WaitingView): string => `${appointment_id} ${waiting_since}`;

/** Remembers who was seen. The first look tells of nobody: whoever opens the page sees the list itself. */
export function createArrivals() {
  let seen: Set<string> | null = null;
  return (waiting: readonly WaitingView[]): WaitingView[] => {
    const before = seen;
    seen = new Set(waiting.map(keyOf));
    return before ? waiting.filter((one) => !before.has(keyOf(one))) : [];
  };
}

/** A practitioner is called for their own patients, and for those of nobody in particular; administrators for all. */
export const callsFor = (waiting: readonly WaitingView[], user: { id: string; role: string }): WaitingView[] =>
  waiting.filter(
    ({ practitioner_id }) => user.role === 'admin' || practitioner_id === null || practitioner_id === user.id,
  );
