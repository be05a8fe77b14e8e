'use client';
import { useRef, useState } from 'react';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { appointmentTime } from '#web/ui/format-time.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import type { AppointmentSummary } from './appointment.ts';
import { CancelReasonFields, NO_REASON, reasonError, reasonInput } from './cancel-reason-fields.tsx';
import { NotificationHint } from './notification-hint.tsx';
import { useRefreshAppointments } from './use-refresh-appointments.ts';
import { useUndo } from './use-undo.ts';

export function CancelAppointment({ appointment, onClose }: { appointment: AppointmentSummary; onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useRefreshAppointments();
  const undo = useUndo();
  const [reason, setReason] = useState(NO_REASON);
  const [error, setError] = useState<string | null>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const isComplete = () => {
    const found = reasonError(reason);
    setError(found);
    if (found) text.current?.focus();
    return found === null;
  };
  const when = appointmentTime(appointment.from_date, useReaderZone(), appointment.time_zone);
  const isFormer = appointment.scheduling_issue === 'former_account';
  // A slot at a former account or on a removed calendar cannot be booked again.
  const canUndo = appointment.scheduling_issue === null;
  return (
    <ConfirmDialog
      title={`Cancel the appointment on ${when}?`}
      description={`${appointment.appointment_type} with ${appointment.calendar}.${canUndo ? ' The time becomes free for others at once.' : ''}`}
      confirmLabel="Cancel appointment"
      keepLabel="Keep appointment"
      isComplete={isComplete}
      act={() => client.appointments.cancel.mutate({ id: appointment.id, ...reasonInput(reason) })}
      done="Appointment canceled"
      {...(canUndo && { undo: () => undo({ kind: 'cancel', appointment }) })}
      refresh={refresh}
      onClose={onClose}
    >
      {isFormer && (
        <p className="mb-4">
          It is in an {SCHEDULING_PROVIDER.name} account that is not connected any more: cancel it there as well.
        </p>
      )}
      <CancelReasonFields
        value={reason}
        onChange={(value) => {
          setError(null);
          setReason(value);
        }}
        isFormer={isFormer}
        error={error}
        textRef={text}
      />
      <NotificationHint change={{ action: 'cancel', id: appointment.id }} />
    </ConfirmDialog>
  );
}
