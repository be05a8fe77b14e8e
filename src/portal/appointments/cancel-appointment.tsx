'use client';
import type { AppointmentView } from '#contract/scheduling.ts';
import { ConfirmDialog } from '#portal/ui/confirm-dialog.tsx';
import { visitTime } from '#portal/ui/format-time.ts';
import { useReaderZone } from '#portal/ui/use-reader-zone.ts';
import { useTRPCClient } from '../trpc-client.tsx';
import { useRefreshVisits } from './use-refresh-visits.ts';
import { WhoTells } from './who-tells.tsx';

export function CancelAppointment({ appointment, onClose }: { appointment: AppointmentView; onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useRefreshVisits();
  const when = visitTime(appointment.from_date, useReaderZone(), appointment.time_zone);
  return (
    <ConfirmDialog
      title={`Cancel the visit on ${when}?`}
      description={`${appointment.appointment_type} with ${appointment.calendar}. The time becomes free for others at once.`}
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
