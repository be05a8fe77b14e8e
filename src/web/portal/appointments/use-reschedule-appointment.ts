'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { RescheduleAppointmentInput } from '#contract/scheduling.ts';
import { appointmentTime } from '#web/ui/format-time.ts';
import { useOutcomeTracker } from '#web/ui/outcome-tracker.tsx';
import { toast } from '#web/ui/toast.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import type { AppointmentSummary } from './appointment.ts';
import { useRefreshAppointments } from './use-refresh-appointments.ts';
import { useUndo } from './use-undo.ts';

/** `onLost` clears the selection of a slot that is no longer available. */
type Then = { onDone: () => void; onLost?: () => void };

/** Reschedules an appointment and offers undo; `checking` is set while the outcome is unknown. */
export function useRescheduleAppointment(appointment: AppointmentSummary, { onDone, onLost }: Then) {
  const client = useTRPCClient();
  const refresh = useRefreshAppointments();
  const undo = useUndo();
  const zone = useReaderZone();
  const { checking, follow } = useOutcomeTracker();
  const move = useMutation({
    mutationFn: (input: RescheduleAppointmentInput) => follow(() => client.appointments.reschedule.mutate(input)),
    onSuccess: (moved) => {
      toast.success('Appointment moved', {
        description: appointmentTime(moved.from_date, zone, moved.time_zone),
        action: { label: 'Undo', run: () => undo({ kind: 'move', appointment }) },
      });
      onDone();
    },
    onError: () => onLost?.(),
    onSettled: refresh,
  });
  return { move, checking };
}

/**
 * Explains to staff why an appointment cannot be rescheduled, refetched on each use; null when it can or until loaded.
 */
export function useRescheduleBlocker(id: string): string | null {
  const trpc = useTRPC();
  return useQuery(trpc.appointments.show.queryOptions({ id }, { staleTime: 0 })).data?.cannot_move ?? null;
}
