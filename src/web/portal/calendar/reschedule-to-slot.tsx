'use client';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import type { CalendarAppointment } from '#contract/calendar.ts';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '#web/ui/dialog.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { appointmentTime, formatInstant, localDate } from '#web/ui/format-time.ts';
import { OutcomeStatus } from '#web/ui/outcome-tracker.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { NotificationHint } from '../appointments/notification-hint.tsx';
import { SlotError } from '../appointments/slot-error.tsx';
import { useRescheduleAppointment, useRescheduleBlocker } from '../appointments/use-reschedule-appointment.ts';
import { useNow } from '../now.tsx';
import { type DropResult, validateDrop } from './available-slots.ts';
import type { GridPosition } from './calendar-grid.tsx';
import { useAvailability } from './use-calendar.ts';

type RescheduleToSlotProps = {
  appointment: CalendarAppointment;
  target: GridPosition & { calendar: string };
  onClose: () => void;
};

/** Confirms a drop: shows what changes and who is notified, or why it is not possible. */
export function RescheduleToSlot({ appointment, target, onClose }: RescheduleToSlotProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Move the appointment of ${appointment.patient_name}?`}
    >
      <Question appointment={appointment} target={target} close={onClose} />
    </Dialog>
  );
}

function Question({ appointment, target, close }: Omit<RescheduleToSlotProps, 'onClose'> & { close: () => void }) {
  const zone = useReaderZone();
  const [at, setAt] = useState(target.at);
  const now = useNow();
  const day = localDate(new Date(at), appointment.time_zone);
  const { times, error, missing } = useAvailability(
    { from_date: day, to_date: day },
    appointment.appointment_type_id,
    target.calendarId,
  );
  const isOther = target.calendarId !== appointment.calendar_id;
  const notOffering = error && readApiErrors(error)[0].code === 'invalid_parameter';
  const result = validateDrop(
    { appointment, calendarId: target.calendarId, at, now },
    error || missing ? undefined : times,
  );
  const { move, checking } = useRescheduleAppointment(appointment, { onDone: close });
  const choose = (fromDate: string) => {
    move.reset();
    setAt(Date.parse(fromDate));
  };
  const blocker = useRescheduleBlocker(appointment.id);
  const isOpen = !blocker && !notOffering && (result.kind === 'offered' || result.kind === 'unknown');
  const isChecking = !times && !error && result.kind === 'unknown';
  return (
    <>
      <DialogBody className="grid content-start gap-3">
        <p className="text-muted">
          {appointment.appointment_type} with {appointment.calendar}. The video link stays the same.
        </p>
        <p className="grid gap-1 rounded-lg border border-line p-3">
          <span className="text-muted">
            <span className="sr-only">From </span>
            {appointmentTime(appointment.from_date, zone, appointment.time_zone)}
          </span>
          <span className="flex items-center gap-1.5 font-medium">
            <ArrowRight aria-hidden className="size-4 text-muted" />
            <span>
              <span className="sr-only">to </span>
              {appointmentTime(new Date(at).toISOString(), zone, appointment.time_zone)}
              {isOther && ` with ${target.calendar}`}
            </span>
          </span>
        </p>
        {blocker || notOffering ? (
          <FormError>
            {blocker ??
              `${target.calendar} does not offer a ${appointment.appointment_type}. For another type of appointment, cancel this one and book another.`}
          </FormError>
        ) : (
          <DropProblem
            result={result}
            type={appointment.appointment_type}
            calendar={target.calendar}
            zone={zone}
            onChoose={choose}
          />
        )}
        <OutcomeStatus message={checking} />
        <SlotError
          error={move.error}
          onChoose={({ from_date }) => choose(from_date)}
          anyway="Move it anyway"
          onAnyway={() => move.variables && move.mutate({ ...move.variables, allow_overlap: true })}
        />
        {isOpen && <NotificationHint change={{ action: 'move', id: appointment.id }} />}
      </DialogBody>
      <DialogFooter>
        <DialogCancel asChild>
          <Button>Keep it as it is</Button>
        </DialogCancel>
        <Button
          variant="primary"
          disabled={!isOpen || isChecking}
          pending={move.isPending}
          onClick={() =>
            move.mutate({
              id: appointment.id,
              from_date: new Date(at).toISOString(),
              ...(isOther && { calendar_id: target.calendarId }),
            })
          }
        >
          Move appointment
        </Button>
      </DialogFooter>
    </>
  );
}

type DropProblemProps = {
  result: DropResult;
  type: string;
  calendar: string;
  zone: string;
  onChoose: (fromDate: string) => void;
};

function DropProblem({ result, type, calendar, zone, onChoose }: DropProblemProps) {
  if (result.kind === 'past') return <FormError>This time has passed. Choose one that is still to come.</FormError>;
  if (result.kind === 'same') return <FormError>The appointment is at this time already.</FormError>;
  if (result.kind !== 'not_offered') return null;
  return (
    <div>
      <FormError>{`${calendar} does not offer this time for a ${type} any more, or never did.`}</FormError>
      {result.nearest.length > 0 ? (
        <p className="mt-2 flex flex-wrap items-center gap-2 text-muted">
          Free that day:
          {result.nearest.map(({ fromDate }) => (
            <Button key={fromDate} size="sm" onClick={() => onChoose(fromDate)}>
              {formatInstant(fromDate, 'time', zone)}
            </Button>
          ))}
        </p>
      ) : (
        <p className="mt-2 text-muted">Nothing else is free that day.</p>
      )}
    </div>
  );
}
