'use client';
import { useEffect, useRef, useState } from 'react';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { visitTime, zoneName } from '#web/ui/format-time.ts';
import { Input } from '#web/ui/input.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { instantIn } from './instant-in.ts';
import { useWhyNot } from './use-why-not.ts';

type WhyNotThisTimeProps = {
  appointmentTypeId: number;
  calendarId: number | undefined;
  appointmentId: string | undefined;
  timeZone: string;
  /** First day of the displayed week. */
  firstDay: string;
  /** Called when the slot is available after all. */
  onFree: (fromDate: string) => void;
};

/** Explains why a time that the user enters is not among the available slots. */
export function WhyNotThisTime({ appointmentTypeId, calendarId, timeZone, ...props }: WhyNotThisTimeProps) {
  const { appointmentId, firstDay, onFree } = props;
  const readerZone = useReaderZone();
  const [isOpen, setIsOpen] = useState(false);
  const [time, setTime] = useState('');
  const [asked, setAsked] = useState<string | null>(null);
  const why = useWhyNot(
    asked === null
      ? null
      : {
          appointment_type_id: appointmentTypeId,
          from_date: asked,
          ...(calendarId !== undefined && { calendar_id: calendarId }),
          ...(appointmentId && { appointment_id: appointmentId }),
        },
  );
  const answer = useRef<HTMLDivElement>(null);
  const hasAnswer = asked !== null && (why.isSuccess || why.isError);
  // The explanation renders below the visible area.
  useEffect(() => {
    if (hasAnswer) answer.current?.scrollIntoView({ block: 'nearest' });
  }, [hasAnswer]);
  if (!isOpen)
    return (
      <p className="mt-1 text-[13px] text-muted">
        Missing a time?{' '}
        <Button variant="link" size="sm" onClick={() => setIsOpen(true)}>
          Why not this time?
        </Button>
      </p>
    );
  const instant = time ? instantIn(time, timeZone) : null;
  const isFree = why.data?.some(({ offered, reason }) => offered || reason === 'list_is_old');
  return (
    <div className="mt-3 grid gap-2 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-end gap-2">
        <Field label={`The time you miss, in ${zoneName(timeZone)}`}>
          <Input
            autoFocus
            type="datetime-local"
            value={time}
            min={`${firstDay}T00:00`}
            onChange={(event) => {
              setAsked(null);
              setTime(event.target.value);
            }}
          />
        </Field>
        <Button pending={asked !== null && why.isFetching} disabled={!instant} onClick={() => setAsked(instant)}>
          Why not this time?
        </Button>
      </div>
      <div aria-live="polite" ref={answer}>
        {why.error && <FormError>{faultSentence(why.error)}</FormError>}
        {asked !== null && why.data && (
          <>
            <p className="text-[13px] text-muted">{visitTime(asked, readerZone, timeZone)}</p>
            <ul className="grid gap-1">
              {sentencesOf(why.data).map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
            {isFree && (
              <Button size="sm" className="mt-2" onClick={() => onFree(asked)}>
                Choose this time
              </Button>
            )}
          </>
        )}
      </div>
    </div>
  );
}

/** Removes duplicates: a reason that applies to all calendars has the same sentence for each. */
const sentencesOf = (explanations: { sentence: string }[]): string[] => [
  ...new Set(explanations.map(({ sentence }) => sentence)),
];
