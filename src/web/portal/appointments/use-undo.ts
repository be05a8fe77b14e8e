'use client';
import { appointmentTime } from '#web/ui/format-time.ts';
import { retryUntilKnown } from '#web/ui/retry-until-known.ts';
import { toast } from '#web/ui/toast.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import type { AppointmentSummary } from './appointment.ts';
import { type UndoableAction, undoFailedMessage, undoneMessage } from './undo-messages.ts';
import { useRefreshAppointments } from './use-refresh-appointments.ts';

/** An action to undo; `appointment` is the state before it, or after it for a booking. */
type UndoInput = { kind: UndoableAction; appointment: AppointmentSummary };

/**
 * Offers to undo an action on an appointment: cancels a booking, moves a rescheduled appointment back, or books a
 * canceled one again at the same time, which creates a new appointment with a new video link. Reports when the slot is
 * gone.
 */
export function useUndo() {
  const client = useTRPCClient();
  const refresh = useRefreshAppointments();
  const zone = useReaderZone();
  return ({ kind, appointment }: UndoInput): void => {
    const when = appointmentTime(appointment.from_date, zone, appointment.time_zone);
    const { id, patient_id, appointment_type_id, calendar_id, from_date } = appointment;
    const act = {
      book: () => client.appointments.cancel.mutate({ id }),
      move: () => client.appointments.reschedule.mutate({ id, from_date }),
      cancel: () => client.appointments.book.mutate({ patient_id, appointment_type_id, calendar_id, from_date }),
    }[kind];
    retryUntilKnown<unknown>(act, { onChecking: () => {} })
      .then(
        () => toast.success('Undone', { description: undoneMessage(kind, when) }),
        (error: unknown) =>
          toast.error('This could not be undone', { description: undoFailedMessage(kind, when, error) }),
      )
      .finally(refresh);
  };
}
