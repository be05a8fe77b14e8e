'use client';
import { useMutation } from '@tanstack/react-query';
import type { RescheduleAppointmentInput } from '#contract/scheduling.ts';
import { appointmentTime } from '#web/ui/format-time.ts';
import { useOutcomeTracker } from '#web/ui/outcome-tracker.tsx';
import { toast } from '#web/ui/toast.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import type { AppointmentSummary } from './appointment.ts';
import { useRefreshAppointments } from './use-refresh-appointments.ts';
import { useUndo } from './use-undo.ts';

/** `onLost` clears the selection of a slot that is no longer available. */
type Then = { onDone: () => void; onLost?: () => void };

/** Reschedules an appointment and offers undo; `checking` is set while the outcome is unknown. */
export function useRescheduleAppointment(visit: AppointmentSummary, { onDone, onLost }: Then) {
  const client = useTRPCClient();
  const refresh = useRefreshAppointments();
  const undo = useUndo();
  const zone = useReaderZone();
  const { checking, follow } = useOutcomeTracker();
  const move = useMutation({
    mutationFn: (wish: RescheduleAppointmentInput) => follow(() => client.appointments.reschedule.mutate(wish)),
    onSuccess: (moved) => {
      toast.success('Visit moved', {
        description: appointmentTime(moved.from_date, zone, moved.time_zone),
        action: { label: 'Undo', run: () => undo({ kind: 'move', visit }) },
      });
      onDone();
    },
    onError: () => onLost?.(),
    onSettled: refresh,
  });
  return { move, checking };
}
