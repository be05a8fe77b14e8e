'use client';
import type { AppointmentView } from '#contract/scheduling.ts';
import { ConfirmDialog } from '#portal/ui/confirm-dialog.tsx';
import { formatInstant } from '#portal/ui/format-time.ts';
import { useTRPCClient } from '../trpc-client.tsx';
import { useRefreshVisits } from './use-refresh-visits.ts';
import { WhoTells } from './who-tells.tsx';

export function CancelAppointment({ appointment, onClose }: { appointment: AppointmentView; onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useRefreshVisits();
  return (
    <ConfirmDialog
      title={`Cancel the visit on ${formatInstant(appointment.from_date, 'day', appointment.time_zone)}?`}
      description={`${appointment.appointment_type} with ${appointment.calendar} at ${formatInstant(appointment.from_date, 'time', appointment.time_zone)}. The time becomes free for others at once.`}
      confirmLabel="Cancel visit"
      keepLabel="Keep visit"
      act={() => client.appointments.cancel.mutate({ id: appointment.id })}
      done="Visit canceled"
      refresh={refresh}
      onClose={onClose}
    >
      <WhoTells patientId={appointment.patient_id} does="cancel" />
    </ConfirmDialog>
  );
}
