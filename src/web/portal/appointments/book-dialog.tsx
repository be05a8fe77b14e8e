'use client';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Combobox, type ComboboxOption } from '#web/ui/combobox.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '#web/ui/dialog.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Field } from '#web/ui/field.tsx';
import { appointmentTime } from '#web/ui/format-time.ts';
import { OutcomeStatus } from '#web/ui/outcome-tracker.tsx';
import { Select } from '#web/ui/select.tsx';
import { useUnsaved } from '#web/ui/unsaved.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';
import { usePatientOptions } from '../patients/use-patient-search.ts';
import { NotificationHint } from './notification-hint.tsx';
import { SlotChoice } from './slot-choice.tsx';
import { SlotError } from './slot-error.tsx';
import { SlotGone } from './slot-gone.tsx';
import { useBookAppointment } from './use-book-appointment.ts';

type BookDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Preset on a patient's page. */
  patient?: ComboboxOption;
};

export function BookDialog({ open, onOpenChange, patient }: BookDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={patient ? `Book an appointment for ${patient.label}` : 'Book an appointment'}
    >
      <BookForm {...(patient && { presetPatient: patient })} close={() => onOpenChange(false)} />
    </Dialog>
  );
}

const ANY_CALENDAR = 'anyone';

/** Names the missing choices in a sentence, such as "Choose a patient and a time."; null when none is missing. */
function missingChoices({ patient, type, time }: { patient: boolean; type: boolean; time: boolean }): string | null {
  const parts = [patient && 'a patient', type ? 'an appointment type' : time && 'a time'].filter(Boolean);
  return parts.length > 0 ? `Choose ${parts.join(' and ')}.` : null;
}

function BookForm({ presetPatient, close }: { presetPatient?: ComboboxOption; close: () => void }) {
  const trpc = useTRPC();
  const readerZone = useReaderZone();
  const clinicZone = useMe().tenant.time_zone;
  const searchPatients = usePatientOptions();
  const [patient, setPatient] = useState(presetPatient ?? null);
  const [typeId, setTypeId] = useState<string>();
  const [calendarId, setCalendarId] = useState(ANY_CALENDAR);
  const missingId = useId();
  const [fromDate, setFromDate] = useState<string | null>(null);
  const [isGone, setGone] = useState(false);
  const goneId = useId();
  const types = useQuery(trpc.scheduling.listAppointmentTypes.queryOptions({ size: 1000 }));
  const calendars = useQuery(trpc.scheduling.listCalendars.queryOptions({ size: 1000 }));
  const { book, checking } = useBookAppointment({ onDone: close, onLost: () => setFromDate(null) });
  const isChosen = Boolean(typeId || fromDate || (patient && !presetPatient));
  useUnsaved(book.isPending && !checking ? 'saving' : isChosen && !book.isSuccess);
  const chooseTime = (next: string | null) => {
    book.reset();
    setFromDate(next);
  };
  const offeringCalendars = calendars.data?.items.filter((calendar) =>
    calendar.appointment_type_ids.includes(Number(typeId)),
  );
  const zone = offeringCalendars?.find((calendar) => String(calendar.id) === calendarId)?.time_zone ?? clinicZone;
  const missing = missingChoices({ patient: !patient, type: !typeId, time: !fromDate });
  const error = types.error ?? calendars.error;
  if (error)
    return (
      <ErrorState
        error={error}
        title="The appointment types could not be loaded"
        onRetry={() => void Promise.all([types.refetch(), calendars.refetch()])}
      />
    );
  return (
    <>
      <DialogBody className="grid content-start gap-4">
        {!presetPatient && (
          <Field label="Patient">
            <Combobox
              value={patient}
              onChange={(next) => {
                // The error belongs to the previous patient; "Book it anyway" must not apply to the next one.
                book.reset();
                setPatient(next);
              }}
              search={searchPatients}
              placeholder="Search by name, date of birth or phone"
            />
          </Field>
        )}
        <div className="grid gap-4 md:grid-cols-2">
          <Field label="Appointment type">
            <Select
              value={typeId}
              placeholder={types.isPending ? 'Loading…' : 'Choose…'}
              onValueChange={(next) => {
                setTypeId(next);
                setCalendarId(ANY_CALENDAR);
                chooseTime(null);
              }}
              options={(types.data?.items ?? []).map((type) => ({
                value: String(type.id),
                label: type.name,
                hint: `${type.duration_minutes} min`,
              }))}
            />
          </Field>
          <Field label="With">
            <Select
              value={calendarId}
              disabled={!typeId}
              onValueChange={(next) => {
                setCalendarId(next);
                chooseTime(null);
              }}
              options={[
                { value: ANY_CALENDAR, label: 'Anyone who is free' },
                ...(offeringCalendars ?? []).map((calendar) => ({ value: String(calendar.id), label: calendar.name })),
              ]}
            />
          </Field>
        </div>
        {typeId ? (
          <SlotChoice
            key={`${typeId} ${calendarId}`}
            appointmentTypeId={Number(typeId)}
            calendarId={calendarId === ANY_CALENDAR ? undefined : Number(calendarId)}
            timeZone={zone}
            value={fromDate}
            onChange={chooseTime}
            isPending={!book.isIdle && !book.isError}
            onGone={setGone}
          />
        ) : (
          <EmptyState
            title="Choose an appointment type"
            description="Then the free times of the next seven days show here."
          />
        )}
        <OutcomeStatus message={checking} />
        <SlotError
          error={book.error}
          onChoose={(slot) => {
            // Its button names the practitioner.
            setCalendarId(String(slot.calendar_id));
            chooseTime(slot.from_date);
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
        {missing && !isGone && (
          <p
            id={missingId}
            className="mr-auto self-center text-[13px] text-muted max-md:order-first max-md:basis-full!"
          >
            {missing}
          </p>
        )}
        <SlotGone id={goneId} fromDate={isGone ? fromDate : null} />
        <Button
          variant="primary"
          disabled={!patient || !fromDate || isGone}
          aria-describedby={isGone ? goneId : missing ? missingId : undefined}
          pending={book.isPending}
          onClick={() => {
            if (!patient || !fromDate) return;
            book.mutate({
              patient_id: patient.value,
              appointment_type_id: Number(typeId),
              from_date: fromDate,
              ...(calendarId !== ANY_CALENDAR && { calendar_id: Number(calendarId) }),
            });
          }}
        >
          {fromDate ? `Book ${appointmentTime(fromDate, readerZone, zone)}` : 'Book appointment'}
        </Button>
      </DialogFooter>
    </>
  );
}
