'use client';
import type { AvailabilityView } from '#contract/availability.ts';
import { firstErrorMessage, readApiErrors } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { appointmentTime } from '#web/ui/format-time.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';

type Alternative = Pick<AvailabilityView, 'from_date' | 'time_zone' | 'calendar_id' | 'calendar'>;

type SlotErrorProps = {
  error: unknown;
  onChoose: (slot: Alternative) => void;
  /** Proceeds although the patient has another appointment at that time. */
  onAnyway: () => void;
  /** Label of `onAnyway`, such as `Book it anyway`. */
  anyway: string;
};

/** Explains why a slot could not be booked; offers the nearest slots that the server names, or to ignore an overlap. */
export function SlotError({ error, onChoose, onAnyway, anyway }: SlotErrorProps) {
  const readerZone = useReaderZone();
  if (!error) return null;
  const { code, meta } = readApiErrors(error)[0];
  const alternatives = (meta?.alternatives ?? []) as Alternative[];
  const isOverlap = code === 'conflict' && meta?.appointment_id !== undefined;
  return (
    <div className="mt-3">
      <FormError>{firstErrorMessage(error)}</FormError>
      {isOverlap && (
        <p className="mt-2 flex flex-wrap items-center gap-2 text-muted">
          Choose another time, or:
          <Button size="sm" onClick={onAnyway}>
            {anyway}
          </Button>
        </p>
      )}
      {alternatives.length > 0 && (
        <p className="mt-2 flex flex-wrap items-center gap-2 text-muted">
          Free nearby:
          {alternatives.map((slot) => (
            <Button
              key={slot.from_date}
              size="sm"
              className="h-auto min-h-7 max-w-full shrink whitespace-normal"
              onClick={() => onChoose(slot)}
            >
              {appointmentTime(slot.from_date, readerZone, slot.time_zone)} with {slot.calendar}
            </Button>
          ))}
        </p>
      )}
    </div>
  );
}
