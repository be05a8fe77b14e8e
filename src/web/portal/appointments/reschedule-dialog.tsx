'use client';
import { useId, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '#web/ui/dialog.tsx';
import { appointmentTime } from '#web/ui/format-time.ts';
import { OutcomeStatus } from '#web/ui/outcome-tracker.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import type { AppointmentSummary } from './appointment.ts';
import { NotificationHint } from './notification-hint.tsx';
import { SlotChoice } from './slot-choice.tsx';
import { SlotError } from './slot-error.tsx';
import { SlotGone } from './slot-gone.tsx';
import { useRescheduleAppointment, useRescheduleBlocker } from './use-reschedule-appointment.ts';

export function RescheduleDialog({ appointment, onClose }: { appointment: AppointmentSummary; onClose: () => void }) {
  const readerZone = useReaderZone();
  const [fromDate, setFromDate] = useState<string | null>(null);
  const [isGone, setGone] = useState(false);
  const goneId = useId();
  const cannotMove = useRescheduleBlocker(appointment.id);
  const { move, checking } = useRescheduleAppointment(appointment, {
    onDone: onClose,
    onLost: () => setFromDate(null),
  });
  if (cannotMove) return <CannotMove reason={cannotMove} onClose={onClose} />;
  const choose = (next: string | null) => {
    move.reset();
    setFromDate(next);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Move the appointment"
      description={`Now on ${appointmentTime(appointment.from_date, readerZone, appointment.time_zone)}, with ${appointment.calendar}. The video link stays the same.`}
    >
      <DialogBody>
        <SlotChoice
          appointmentTypeId={appointment.appointment_type_id}
          calendarId={appointment.calendar_id}
          timeZone={appointment.time_zone}
          current={appointment.from_date}
          appointmentId={appointment.id}
          value={fromDate}
          onChange={choose}
          isPending={!move.isIdle && !move.isError}
          onGone={setGone}
        />
        <OutcomeStatus message={checking} />
        <SlotError
          error={move.error}
          onChoose={({ from_date }) => choose(from_date)}
          anyway="Move it anyway"
          onAnyway={() => move.variables && move.mutate({ ...move.variables, allow_overlap: true })}
        />
        <NotificationHint patientId={appointment.patient_id} action="move" />
      </DialogBody>
      <DialogFooter>
        <DialogCancel asChild>
          <Button>Keep the time</Button>
        </DialogCancel>
        <SlotGone id={goneId} fromDate={isGone ? fromDate : null} />
        <Button
          variant="primary"
          disabled={!fromDate || isGone}
          aria-describedby={isGone ? goneId : undefined}
          pending={move.isPending}
          onClick={() => fromDate && move.mutate({ id: appointment.id, from_date: fromDate })}
        >
          Move appointment
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

/** Shown instead of the slot picker when the appointment cannot be rescheduled. */
const CannotMove = ({ reason, onClose }: { reason: string; onClose: () => void }) => (
  <Dialog open onOpenChange={(open) => !open && onClose()} title="This appointment cannot be moved">
    <DialogBody>
      <p className="wrap-anywhere">{reason}</p>
    </DialogBody>
    <DialogFooter>
      <DialogCancel asChild>
        <Button>Back</Button>
      </DialogCancel>
    </DialogFooter>
  </Dialog>
);
