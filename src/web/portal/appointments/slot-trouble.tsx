'use client';
import { faultSentence, readApiFaults } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { visitTime } from '#web/ui/format-time.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';

type Alternative = { from_date: string; time_zone: string };

type SlotTroubleProps = {
  error: unknown;
  onChoose: (fromDate: string) => void;
  /** Does it although the patient has another visit then. */
  onAnyway: () => void;
  /** What that is called: `Book it anyway`. */
  anyway: string;
};

/** Why a time could not be had: with the nearest free ones where the server names some, or a way past another visit. */
export function SlotTrouble({ error, onChoose, onAnyway, anyway }: SlotTroubleProps) {
  const readerZone = useReaderZone();
  if (!error) return null;
  const { code, meta } = readApiFaults(error)[0];
  const alternatives = (meta?.alternatives ?? []) as Alternative[];
  const isOverlap = code === 'conflict' && meta?.appointment_id !== undefined;
  return (
    <div className="mt-3">
      <FormError>{faultSentence(error)}</FormError>
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
            <Button key={slot.from_date} size="sm" onClick={() => onChoose(slot.from_date)}>
              {visitTime(slot.from_date, readerZone, slot.time_zone)}
            </Button>
          ))}
        </p>
      )}
    </div>
  );
}
