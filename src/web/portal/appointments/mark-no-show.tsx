'use client';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { appointmentTime } from '#web/ui/format-time.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import type { AppointmentSummary } from './appointment.ts';
import { useRefreshAppointments } from './use-refresh-appointments.ts';

export function MarkNoShow({ appointment, onClose }: { appointment: AppointmentSummary; onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useRefreshAppointments();
  const when = appointmentTime(appointment.from_date, useReaderZone(), appointment.time_zone);
  return (
    <ConfirmDialog
      title="Did the patient not come?"
      description={`${appointment.appointment_type} with ${appointment.calendar}, ${when}. It is noted here and in ${SCHEDULING_PROVIDER.name}, where it cannot be taken back. The patient gets no message about it.`}
      confirmLabel="Did not come"
      confirmVariant="primary"
      keepLabel="Leave it as it is"
      act={() => client.appointments.markNoShow.mutate({ id: appointment.id })}
      done="Noted that the patient did not come"
      refresh={refresh}
      onClose={onClose}
    />
  );
}
