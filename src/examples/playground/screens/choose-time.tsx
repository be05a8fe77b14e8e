'use client';
import { lazy, Suspense, useCallback, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { formatInstant, localDate } from '#web/ui/format-time.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { ErrorMessage } from '../error-message.tsx';
import { ApiError } from '../steps/api-error.ts';
import { listSlots } from '../steps/list-slots.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';

const SlotPicker = lazy(() => import('#web/ui/slot-picker.tsx').then(({ SlotPicker }) => ({ default: SlotPicker })));

type ChooseTimeProps = {
  typeId: number;
  calendarId?: number;
  submit: string;
  onChosen: (fromDate: string) => Promise<void>;
};

/** Available slots of a week in the patient's time zone, and the nearest others when the chosen one is taken. */
export function ChooseTime({ typeId, calendarId, submit, onChosen }: ChooseTimeProps) {
  const zone = useReaderZone();
  const [today] = useState(() => localDate(new Date(), zone));
  const [firstDay, setFirstDay] = useState(today);
  const [fromDate, setFromDate] = useState<string | null>(null);
  const load = useCallback(() => listSlots(typeId, firstDay, calendarId), [typeId, firstDay, calendarId]);
  const times = useLoaded(load);
  const { pending, error, run } = useAction();
  const submitTime = async () => {
    try {
      if (fromDate) await onChosen(fromDate);
    } catch (error) {
      if (isSlotLost(error)) {
        setFromDate(null);
        times.reload();
      }
      throw error;
    }
  };
  return (
    <div className="grid gap-4">
      <Suspense fallback={<Skeleton className="h-72" />}>
        <SlotPicker
          slots={times.data ?? undefined}
          {...(times.error instanceof ApiError && { error: asEnvelope(times.error) })}
          onRetry={times.reload}
          firstDay={firstDay}
          earliestDay={today}
          timeZone={zone}
          onFirstDayChange={(day) => {
            setFromDate(null);
            setFirstDay(day);
          }}
          value={fromDate}
          onChange={setFromDate}
        />
      </Suspense>
      <ErrorMessage error={error} />
      <Alternatives error={error} zone={zone} onChoose={setFromDate} />
      <Button variant="primary" size="lg" disabled={!fromDate} pending={pending} onClick={() => void run(submitTime)}>
        {fromDate ? `${submit} ${formatInstant(fromDate, 'datetime', zone)}` : 'Choose a time'}
      </Button>
    </div>
  );
}

const isSlotLost = (error: unknown) =>
  error instanceof ApiError && (error.code === 'slot_taken' || error.code === 'slot_not_offered');

/** Converts an error to the format that the portal's components expect. */
const asEnvelope = ({ code, message: detail, details }: ApiError) => ({
  data: { errors: [{ code, title: detail, detail }], request_id: details.requestId },
});

type AlternativesProps = { error: unknown; zone: string; onChoose: (fromDate: string) => void };

function Alternatives({ error, zone, onChoose }: AlternativesProps) {
  const offered = error instanceof ApiError ? error.details.meta?.alternatives : undefined;
  const alternatives = (offered ?? []) as { from_date: string }[];
  if (alternatives.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-2 text-muted">
      Free nearby:
      {alternatives.map(({ from_date }) => (
        <Button key={from_date} size="sm" onClick={() => onChoose(from_date)}>
          {formatInstant(from_date, 'datetime', zone)}
        </Button>
      ))}
    </p>
  );
}
