'use client';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import type { CalendarAppointment } from '#contract/calendar.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '#web/ui/dialog.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { appointmentTime, formatInstant, localDate } from '#web/ui/format-time.ts';
import { OutcomeStatus } from '#web/ui/outcome-tracker.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { NotificationHint } from '../appointments/notification-hint.tsx';
import { SlotError } from '../appointments/slot-error.tsx';
import { useRescheduleAppointment } from '../appointments/use-reschedule-appointment.ts';
import { useRescheduleBlocker } from '../appointments/use-reschedule-blocker.ts';
import type { GridPosition } from './calendar-grid.tsx';
import { useAvailability } from './use-calendar.ts';
import { type DropResult, validateDrop } from './validate-drop.ts';

type MoveSlotProps = { visit: CalendarAppointment; to: GridPosition & { calendar: string }; onClose: () => void };

/** Confirms a drop: shows what changes and who is notified, or why it is not possible. */
export function RescheduleToSlot({ visit, to, onClose }: MoveSlotProps) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={`Move the visit of ${visit.patient_name}?`}>
      <Question visit={visit} to={to} close={onClose} />
    </Dialog>
  );
}

function Question({ visit, to, close }: Omit<MoveSlotProps, 'onClose'> & { close: () => void }) {
  const zone = useReaderZone();
  const [at, setAt] = useState(to.at);
  const [now] = useState(() => Date.now());
  const day = localDate(new Date(at), visit.time_zone);
  const { times, error, missing } = useAvailability(
    { first: day, last: day },
    visit.appointment_type_id,
    visit.calendar_id,
  );
  const verdict = validateDrop({ visit, calendarId: to.calendarId, at, now }, error || missing ? undefined : times);
  const { move, checking } = useRescheduleAppointment(visit, { onDone: close });
  const choose = (fromDate: string) => {
    move.reset();
    setAt(Date.parse(fromDate));
  };
  const cannotMove = useRescheduleBlocker(visit.id);
  const isOpen = !cannotMove && (verdict.kind === 'offered' || verdict.kind === 'unknown');
  const isAsking = !times && !error && verdict.kind === 'unknown';
  return (
    <>
      <DialogBody className="grid content-start gap-3">
        <p className="text-muted">
          {visit.appointment_type} with {visit.calendar}. The video link stays the same.
        </p>
        <p className="grid gap-1 rounded-lg border border-line p-3">
          <span className="text-muted">
            <span className="sr-only">From </span>
            {appointmentTime(visit.from_date, zone, visit.time_zone)}
          </span>
          <span className="flex items-center gap-1.5 font-medium">
            <ArrowRight aria-hidden className="size-4 text-muted" />
            <span>
              <span className="sr-only">to </span>
              {appointmentTime(new Date(at).toISOString(), zone, visit.time_zone)}
            </span>
          </span>
        </p>
        {cannotMove ? (
          <FormError>{cannotMove}</FormError>
        ) : (
          <WhyNot verdict={verdict} visit={visit} calendar={to.calendar} zone={zone} onChoose={choose} />
        )}
        <OutcomeStatus message={checking} />
        <SlotError
          error={move.error}
          onChoose={choose}
          anyway="Move it anyway"
          onAnyway={() => move.variables && move.mutate({ ...move.variables, allow_overlap: true })}
        />
        {isOpen && <NotificationHint patientId={visit.patient_id} does="move" />}
      </DialogBody>
      <DialogFooter>
        <DialogCancel asChild>
          <Button>Keep the time</Button>
        </DialogCancel>
        <Button
          variant="primary"
          disabled={!isOpen || isAsking}
          pending={move.isPending}
          onClick={() => move.mutate({ id: visit.id, from_date: new Date(at).toISOString() })}
        >
          Move visit
        </Button>
      </DialogFooter>
    </>
  );
}

type WhyNotProps = {
  verdict: DropResult;
  visit: CalendarAppointment;
  calendar: string;
  zone: string;
  onChoose: (fromDate: string) => void;
};

function WhyNot({ verdict, visit, calendar, zone, onChoose }: WhyNotProps) {
  if (verdict.kind === 'other_practitioner')
    return (
      <FormError>
        {`A visit stays with its practitioner. To see ${calendar} instead, book a visit with ${calendar} and cancel this one.`}
      </FormError>
    );
  if (verdict.kind === 'past') return <FormError>This time has passed. Choose one that is still to come.</FormError>;
  if (verdict.kind === 'same') return <FormError>The visit is at this time already.</FormError>;
  if (verdict.kind !== 'not_offered') return null;
  return (
    <div>
      <FormError>{`${visit.calendar} has this time not free for a ${visit.appointment_type} any more, or never offered it.`}</FormError>
      {verdict.nearby.length > 0 ? (
        <p className="mt-2 flex flex-wrap items-center gap-2 text-muted">
          Free that day:
          {verdict.nearby.map(({ fromDate }) => (
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
