'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AppointmentView, RescheduleAppointmentInput } from '#contract/scheduling.ts';
import { Button } from '#portal/ui/button.tsx';
import { Checking } from '#portal/ui/checking.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '#portal/ui/dialog.tsx';
import { visitTime } from '#portal/ui/format-time.ts';
import { toast } from '#portal/ui/toast.ts';
import { useFollowed } from '#portal/ui/use-followed.ts';
import { useReaderZone } from '#portal/ui/use-reader-zone.ts';
import { useTRPCClient } from '../trpc-client.tsx';
import { SlotChoice } from './slot-choice.tsx';
import { SlotTrouble } from './slot-trouble.tsx';
import { useRefreshVisits } from './use-refresh-visits.ts';
import { WhoTells } from './who-tells.tsx';

export function RescheduleDialog({ appointment, onClose }: { appointment: AppointmentView; onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useRefreshVisits();
  const readerZone = useReaderZone();
  const [fromDate, setFromDate] = useState<string | null>(null);
  const { checking, follow } = useFollowed();
  const move = useMutation({
    mutationFn: (wish: RescheduleAppointmentInput) => follow(() => client.appointments.reschedule.mutate(wish)),
    onSuccess: (moved) => {
      toast.success('Visit moved', { description: visitTime(moved.from_date, readerZone, moved.time_zone) });
      onClose();
    },
    // A time that was lost must not stay chosen.
    onError: () => setFromDate(null),
    onSettled: refresh,
  });
  const choose = (next: string | null) => {
    move.reset();
    setFromDate(next);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Move the visit"
      description={`Now on ${visitTime(appointment.from_date, readerZone, appointment.time_zone)}, with ${appointment.calendar}. The video link stays the same.`}
    >
      <DialogBody>
        <SlotChoice
          appointmentTypeId={appointment.appointment_type_id}
          calendarId={appointment.calendar_id}
          timeZone={appointment.time_zone}
          current={appointment.from_date}
          value={fromDate}
          onChange={choose}
        />
        <Checking words={checking} />
        <SlotTrouble
          error={move.error}
          onChoose={choose}
          anyway="Move it anyway"
          onAnyway={() => move.variables && move.mutate({ ...move.variables, allow_overlap: true })}
        />
        <WhoTells patientId={appointment.patient_id} does="move" />
      </DialogBody>
      <DialogFooter>
        <DialogCancel asChild>
          <Button>Keep the time</Button>
        </DialogCancel>
        <Button
          variant="primary"
          disabled={!fromDate}
          pending={move.isPending}
          onClick={() => fromDate && move.mutate({ id: appointment.id, from_date: fromDate })}
        >
          Move visit
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
