'use client';
import { useMutation } from '@tanstack/react-query';
import type { BookAppointmentInput } from '#contract/scheduling.ts';
import { appointmentTime } from '#web/ui/format-time.ts';
import { useOutcomeTracker } from '#web/ui/outcome-tracker.tsx';
import { toast } from '#web/ui/toast.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { useRefreshAppointments } from './use-refresh-appointments.ts';
import { useUndo } from './use-undo.ts';

/** `onLost` clears the selection of a slot that is no longer available. */
type Then = { onDone: () => void; onLost?: () => void };

/** Books an appointment and offers undo; `checking` is set while the outcome is unknown. */
export function useBookAppointment({ onDone, onLost }: Then) {
  const client = useTRPCClient();
  const refresh = useRefreshAppointments();
  const undo = useUndo();
  const zone = useReaderZone();
  const { checking, follow } = useOutcomeTracker();
  const book = useMutation({
    mutationFn: (input: BookAppointmentInput) => follow(() => client.appointments.book.mutate(input)),
    onSuccess: (appointment) => {
      toast.success('Appointment booked', {
        description: appointmentTime(appointment.from_date, zone, appointment.time_zone),
        action: { label: 'Undo', run: () => undo({ kind: 'book', appointment }) },
      });
      onDone();
    },
    onError: () => onLost?.(),
    onSettled: refresh,
  });
  return { book, checking };
}
