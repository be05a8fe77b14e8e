'use client';
import { useMutation } from '@tanstack/react-query';
import type { AppointmentView } from '#contract/scheduling.ts';
import { AlertDialog } from '#portal/ui/alert-dialog.tsx';
import { faultSentence } from '#portal/ui/api-faults.ts';
import { formatInstant } from '#portal/ui/format-time.ts';
import { toast } from '#portal/ui/toast.ts';
import { useTRPC } from '../trpc-client.tsx';
import { useRefreshVisits } from './use-refresh-visits.ts';

export function CancelAppointment({ appointment, onClose }: { appointment: AppointmentView; onClose: () => void }) {
  const trpc = useTRPC();
  const refresh = useRefreshVisits();
  const cancel = useMutation(
    trpc.appointments.cancel.mutationOptions({
      onSuccess: () => {
        toast.success('Visit canceled');
        onClose();
        return refresh();
      },
    }),
  );
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Cancel the visit on ${formatInstant(appointment.from_date, 'day', appointment.time_zone)}?`}
      description={`${appointment.appointment_type} with ${appointment.calendar} at ${formatInstant(appointment.from_date, 'time', appointment.time_zone)}. The time becomes free for others at once.`}
      confirmLabel="Cancel visit"
      keepLabel="Keep visit"
      danger
      pending={cancel.isPending}
      error={cancel.error ? faultSentence(cancel.error) : undefined}
      onConfirm={() => cancel.mutate({ id: appointment.id })}
    />
  );
}
