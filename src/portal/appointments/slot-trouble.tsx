'use client';
import { faultSentence, readApiFaults } from '#portal/ui/api-faults.ts';
import { Button } from '#portal/ui/button.tsx';
import { FormError } from '#portal/ui/form-error.tsx';
import { formatInstant } from '#portal/ui/format-time.ts';

type Alternative = { from_date: string; time_zone: string };

/** Why a time could not be had, with the nearest free ones where the server names some. */
export function SlotTrouble({ error, onChoose }: { error: unknown; onChoose: (fromDate: string) => void }) {
  if (!error) return null;
  const alternatives = (readApiFaults(error)[0].meta?.alternatives ?? []) as Alternative[];
  return (
    <div className="mt-3">
      <FormError>{faultSentence(error)}</FormError>
      {alternatives.length > 0 && (
        <p className="mt-2 flex flex-wrap items-center gap-2 text-muted">
          Free nearby:
          {alternatives.map((slot) => (
            <Button key={slot.from_date} size="sm" onClick={() => onChoose(slot.from_date)}>
              {formatInstant(slot.from_date, 'datetime', slot.time_zone)}
            </Button>
          ))}
        </p>
      )}
    </div>
  );
}
