'use client';
import { useId, useState } from 'react';
import type { AppointmentTypeView, CalendarView } from '#contract/scheduling.ts';
import { Button } from '#web/ui/button.tsx';
import { Combobox, type ComboboxOption } from '#web/ui/combobox.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { appointmentTime, localDate } from '#web/ui/format-time.ts';
import { OutcomeStatus } from '#web/ui/outcome-tracker.tsx';
import { Select } from '#web/ui/select.tsx';
import { useUnsaved } from '#web/ui/unsaved.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { NotificationHint } from '../appointments/notification-hint.tsx';
import { SlotError } from '../appointments/slot-error.tsx';
import { SlotGone } from '../appointments/slot-gone.tsx';
import { useBookAppointment } from '../appointments/use-book-appointment.ts';
import { useIsGone } from '../appointments/use-is-gone.ts';
import { usePatientOptions } from '../patients/use-patient-search.ts';
import { useAvailability } from './use-calendar.ts';

export type SlotToBook = { calendar: CalendarView; fromDate: string; typeId: number };

type BookSlotProps = { slot: SlotToBook; types: AppointmentTypeView[]; onClose: () => void };

/** Books a selected slot: time and practitioner are given, the form requests patient and type. */
export function BookSlot({ slot, types, onClose }: BookSlotProps) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={`Book an appointment with ${slot.calendar.name}`}>
      <Form slot={slot} types={types} close={onClose} />
    </Dialog>
  );
}

function Form({
  slot: { calendar, fromDate, typeId },
  types,
  close,
}: Omit<BookSlotProps, 'onClose'> & { close: () => void }) {
  const readerZone = useReaderZone();
  const searchPatients = usePatientOptions();
  const [patient, setPatient] = useState<ComboboxOption | null>(null);
  const [chosenType, setType] = useState(String(typeId));
  const [at, setAt] = useState(fromDate);
  const { book, checking } = useBookAppointment({ onDone: close });
  useUnsaved(book.isPending && !checking ? 'saving' : Boolean(patient) && !book.isSuccess);
  const offered = types.filter(({ id }) => calendar.appointment_type_ids.includes(id));
  const type = offered.find(({ id }) => id === Number(chosenType));
  const day = localDate(at, calendar.time_zone);
  const { data } = useAvailability({ from_date: day, to_date: day }, Number(chosenType), calendar.id);
  // While our own request runs, it may be what holds the time.
  const isGone = useIsGone(book.isIdle || book.isError ? at : null, Number(chosenType), data);
  const goneId = useId();
  const when = appointmentTime(at, readerZone, calendar.time_zone);
  return (
    <>
      <DialogBody className="grid content-start gap-4">
        <p className="font-medium">
          {when}
          {type && `, ${type.duration_minutes} min`}
        </p>
        <Field label="Patient">
          <Combobox
            value={patient}
            onChange={(next) => {
              book.reset();
              setPatient(next);
            }}
            search={searchPatients}
            placeholder="Search by name, date of birth or phone"
          />
        </Field>
        <Field label="Appointment type">
          <Select
            value={chosenType}
            onValueChange={(next) => {
              book.reset();
              setType(next);
            }}
            options={offered.map((type) => ({
              value: String(type.id),
              label: type.name,
              hint: `${type.duration_minutes} min`,
            }))}
          />
        </Field>
        <OutcomeStatus message={checking} />
        <SlotError
          error={book.error}
          onChoose={(next) => {
            book.reset();
            setAt(next.from_date);
          }}
          anyway="Book it anyway"
          onAnyway={() => book.variables && book.mutate({ ...book.variables, allow_overlap: true })}
        />
        {patient && <NotificationHint change={{ action: 'book', patient_id: patient.value }} />}
      </DialogBody>
      <DialogFooter>
        <DialogCancel asChild>
          <Button>Close</Button>
        </DialogCancel>
        <SlotGone id={goneId} fromDate={isGone ? at : null} />
        <Button
          variant="primary"
          disabled={!patient || isGone}
          aria-describedby={isGone ? goneId : undefined}
          pending={book.isPending}
          onClick={() =>
            patient &&
            book.mutate({
              patient_id: patient.value,
              appointment_type_id: Number(chosenType),
              calendar_id: calendar.id,
              from_date: at,
            })
          }
        >
          Book appointment
        </Button>
      </DialogFooter>
    </>
  );
}
