'use client';
import { useRouter } from 'next/navigation';
import { firstErrorMessage, readApiErrors } from '#web/ui/api-errors.ts';
import { appointmentTime } from '#web/ui/format-time.ts';
import { retryUntilKnown } from '#web/ui/retry-until-known.ts';
import { toast } from '#web/ui/toast.ts';
import { useGuardedNavigation } from '#web/ui/unsaved.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import type { AppointmentSummary } from './appointment.ts';
import { useRefreshAppointments } from './use-refresh-appointments.ts';

/** An action that can be undone. */
export type UndoableAction = 'book' | 'move' | 'cancel';

/** Codes that mean: someone else has the slot, or the provider no longer offers it. */
const SLOT_UNAVAILABLE = new Set(['slot_taken', 'slot_not_offered', 'conflict']);

/** Message after an undo; `when` is the time before the action, or the booked time. */
export const undoneMessage = (action: UndoableAction, when: string): string =>
  ({
    book: `The appointment on ${when} is canceled again.`,
    move: `The appointment is back on ${when}.`,
    cancel: `The appointment on ${when} is booked again. It has a new video link. Notes stay with the canceled one.`,
  })[action];

/** Explains why an undo failed; undoing a booking does not depend on a free slot. */
export function undoFailedMessage(action: UndoableAction, when: string, error: unknown): string {
  const isSlotUnavailable = action !== 'book' && SLOT_UNAVAILABLE.has(readApiErrors(error)[0].code);
  return isSlotUnavailable ? `${when} is not free any more. ${firstErrorMessage(error)}` : firstErrorMessage(error);
}

/** An action to undo; `appointment` is the state before it, or after it for a booking. */
type UndoInput = { kind: UndoableAction; appointment: AppointmentSummary };

/**
 * Offers to undo an action on an appointment: cancels a booking, moves a rescheduled appointment back, or books a
 * canceled one again at the same time, which creates a new appointment with a new video link; from the page of the
 * canceled one it leads there. Reports a slot that is no longer available.
 */
export function useUndo() {
  const client = useTRPCClient();
  const refresh = useRefreshAppointments();
  const zone = useReaderZone();
  const router = useRouter();
  const go = useGuardedNavigation();
  return ({ kind, appointment }: UndoInput): void => {
    const when = appointmentTime(appointment.from_date, zone, appointment.time_zone);
    const { id, patient_id, appointment_type_id, calendar_id, from_date } = appointment;
    const act = {
      book: () => client.appointments.cancel.mutate({ id }),
      move: () => client.appointments.reschedule.mutate({ id, from_date, calendar_id }),
      cancel: () => client.appointments.book.mutate({ patient_id, appointment_type_id, calendar_id, from_date }),
    }[kind];
    retryUntilKnown(act, { onChecking: () => {} })
      .then(
        (undone) => {
          toast.success('Undone', { description: undoneMessage(kind, when) });
          if (undone.id !== id && window.location.pathname === `/appointments/${id}`)
            go(() => router.replace(`/appointments/${undone.id}`));
        },
        (error: unknown) =>
          toast.error('This could not be undone', { description: undoFailedMessage(kind, when, error) }),
      )
      .finally(refresh);
  };
}
