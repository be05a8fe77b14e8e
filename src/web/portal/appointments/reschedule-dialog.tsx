'use client';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { appointmentTime } from '#web/ui/format-time.ts';
import { OutcomeStatus } from '#web/ui/outcome-tracker.tsx';
import { Select } from '#web/ui/select.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import type { AppointmentSummary } from './appointment.ts';
import { NotificationHint } from './notification-hint.tsx';
import { SlotChoice } from './slot-choice.tsx';
import { SlotError } from './slot-error.tsx';
import { SlotGone } from './slot-gone.tsx';
import { useRescheduleAppointment, useRescheduleBlocker } from './use-reschedule-appointment.ts';

export function RescheduleDialog({ appointment, onClose }: { appointment: AppointmentSummary; onClose: () => void }) {
  const readerZone = useReaderZone();
  const calendars = useCalendarsFor(appointment);
  const [calendarId, setCalendarId] = useState(appointment.calendar_id);
  const calendar = calendars.find(({ id }) => id === calendarId);
  const isSameCalendar = calendarId === appointment.calendar_id;
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
      description={`Now on ${appointmentTime(appointment.from_date, readerZone, appointment.time_zone)}, with ${appointment.calendar}. The video link stays the same. For another type of appointment, cancel this one and book another.`}
    >
      <DialogBody className="grid content-start gap-4">
        <Field label="With">
          <Select
            value={String(calendarId)}
            onValueChange={(next) => {
              setCalendarId(Number(next));
              choose(null);
            }}
            options={calendars.map(({ id, name }) => ({ value: String(id), label: name }))}
          />
        </Field>
        <SlotChoice
          appointmentTypeId={appointment.appointment_type_id}
          calendarId={calendarId}
          timeZone={calendar?.time_zone ?? appointment.time_zone}
          {...(isSameCalendar && { current: appointment.from_date })}
          appointmentId={appointment.id}
          value={fromDate}
          onChange={choose}
          isPending={!move.isIdle && !move.isError}
          onGone={setGone}
        />
        <OutcomeStatus message={checking} />
        <SlotError
          error={move.error}
          onChoose={(slot) => {
            setCalendarId(slot.calendar_id);
            choose(slot.from_date);
          }}
          anyway="Move it anyway"
          onAnyway={() => move.variables && move.mutate({ ...move.variables, allow_overlap: true })}
        />
        <NotificationHint change={{ action: 'move', id: appointment.id }} />
      </DialogBody>
      <DialogFooter>
        <DialogCancel asChild>
          <Button>Keep it as it is</Button>
        </DialogCancel>
        <SlotGone id={goneId} fromDate={isGone ? fromDate : null} />
        <Button
          variant="primary"
          disabled={!fromDate || isGone}
          aria-describedby={isGone ? goneId : undefined}
          pending={move.isPending}
          onClick={() =>
            fromDate &&
            move.mutate({
              id: appointment.id,
              from_date: fromDate,
              ...(!isSameCalendar && { calendar_id: calendarId }),
            })
          }
        >
          Move appointment
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

type CalendarChoice = { id: number; name: string; time_zone: string };

/** The calendars that offer the appointment's type; until they are loaded, its own. */
function useCalendarsFor({
  calendar_id,
  calendar,
  time_zone,
  appointment_type_id,
}: AppointmentSummary): CalendarChoice[] {
  const trpc = useTRPC();
  const calendars = useQuery(trpc.scheduling.listCalendars.queryOptions({ size: 1000 }));
  const offering = calendars.data?.items.filter(({ appointment_type_ids: types }) =>
    types.includes(appointment_type_id),
  );
  const isListed = offering?.some(({ id }) => id === calendar_id);
  return [...(isListed ? [] : [{ id: calendar_id, name: calendar, time_zone }]), ...(offering ?? [])];
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
