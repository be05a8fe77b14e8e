'use client';
import { visitTime } from '#web/ui/format-time.ts';
import { toast } from '#web/ui/toast.ts';
import { untilKnown } from '#web/ui/until-known.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { type Deed, notUndoneWords, undoneWords } from './undo-words.ts';
import { useRefreshVisits } from './use-refresh-visits.ts';
import type { VisitAtHand } from './visit-at-hand.ts';

/** What was done; `visit` as it was before, or, of one that was booked, as it is. */
type Done = { kind: Deed; visit: VisitAtHand };

/**
 * Takes back what was just done to a visit: what was booked is canceled, what was moved is moved back, and what was canceled
 * is booked anew at the same time, which makes another visit with another video link. Says in words where the time is gone.
 */
export function useUndo() {
  const client = useTRPCClient();
  const refresh = useRefreshVisits();
  const zone = useReaderZone();
  return ({ kind, visit }: Done): void => {
    const when = visitTime(visit.from_date, zone, visit.time_zone);
    const { id, patient_id, appointment_type_id, calendar_id, from_date } = visit;
    const act = {
      book: () => client.appointments.cancel.mutate({ id }),
      move: () => client.appointments.reschedule.mutate({ id, from_date }),
      cancel: () => client.appointments.book.mutate({ patient_id, appointment_type_id, calendar_id, from_date }),
    }[kind];
    untilKnown<unknown>(act, { onChecking: () => {} })
      .then(
        () => toast.success('Undone', { description: undoneWords(kind, when) }),
        (error: unknown) => toast.error('This could not be undone', { description: notUndoneWords(kind, when, error) }),
      )
      .finally(refresh);
  };
}
