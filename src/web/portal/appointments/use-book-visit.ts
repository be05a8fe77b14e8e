'use client';
import { useMutation } from '@tanstack/react-query';
import type { BookAppointmentInput } from '#contract/scheduling.ts';
import { visitTime } from '#web/ui/format-time.ts';
import { toast } from '#web/ui/toast.ts';
import { useFollowed } from '#web/ui/use-followed.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { useRefreshVisits } from './use-refresh-visits.ts';
import { useUndo } from './use-undo.ts';

/** `onLost` clears the selection of a slot that is no longer available. */
type Then = { onDone: () => void; onLost?: () => void };

/** Books an appointment and offers undo; `checking` is set while the outcome is unknown. */
export function useBookVisit({ onDone, onLost }: Then) {
  const client = useTRPCClient();
  const refresh = useRefreshVisits();
  const undo = useUndo();
  const zone = useReaderZone();
  const { checking, follow } = useFollowed();
  const book = useMutation({
    mutationFn: (wish: BookAppointmentInput) => follow(() => client.appointments.book.mutate(wish)),
    onSuccess: (visit) => {
      toast.success('Visit booked', {
        description: visitTime(visit.from_date, zone, visit.time_zone),
        action: { label: 'Undo', run: () => undo({ kind: 'book', visit }) },
      });
      onDone();
    },
    onError: () => onLost?.(),
    onSettled: refresh,
  });
  return { book, checking };
}
