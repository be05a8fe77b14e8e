'use client';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { createApiError, firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { addDays, appointmentTime, formatInstant, localDate, zoneName } from '#web/ui/format-time.ts';
import { Input } from '#web/ui/input.tsx';
import { SlotPicker } from '#web/ui/slot-picker.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { useDayIn } from '../now.tsx';
import { toInstant } from './local-time.ts';
import { missingAvailabilityMessage, reloadIntervalMs } from './missing-availability.ts';
import { useIsGone } from './use-is-gone.ts';
import { useUnavailableReason } from './use-unavailable-reason.ts';

const DAY_MS = 24 * 3_600_000;

type SlotChoiceProps = {
  appointmentTypeId: number | null;
  /** Absent: any calendar that offers the type. */
  calendarId?: number | undefined;
  /** Time zone of days and slots; its current day is the first day offered. */
  timeZone: string;
  /** Current time of the appointment: shown on its day, and the picker opens on that day. */
  current?: string;
  /** The appointment to reschedule: its own slot does not count as taken. */
  appointmentId?: string;
  value: string | null;
  onChange: (fromDate: string | null) => void;
  /** Our own request may hold the chosen time: then it does not count as taken. */
  isPending: boolean;
  /** Called when others take the chosen time, and when it is free again; the same function on each render. */
  onGone: (isGone: boolean) => void;
};

/** First day of the week that contains `day`. Weeks count from today; past days map to the first week. */
const weekOf = (day: string, today: string) => {
  const weeks = Math.floor((Date.parse(day) - Date.parse(today)) / (7 * DAY_MS));
  return addDays(today, 7 * Math.max(0, weeks));
};

/** Available slots of the scheduling provider, one week at a time. */
export function SlotChoice({ appointmentTypeId, calendarId, timeZone, current, ...props }: SlotChoiceProps) {
  const { appointmentId, value, onChange, isPending, onGone } = props;
  const trpc = useTRPC();
  const readerZone = useReaderZone();
  const today = useDayIn(timeZone);
  const [chosenDay, setFirstDay] = useState(() => weekOf(current ? localDate(current, timeZone) : today, today));
  // At midnight, a first day that is over gives way to the new one.
  const firstDay = chosenDay < today ? today : chosenDay;
  // A time that was chosen elsewhere, such as an alternative, is in view.
  const valueDay = value && localDate(value, timeZone);
  if (valueDay && valueDay >= today && (valueDay < firstDay || valueDay > addDays(firstDay, 6)))
    setFirstDay(weekOf(valueDay, today));
  const query = useQuery(
    trpc.scheduling.listAvailability.queryOptions(
      appointmentTypeId === null
        ? skipToken
        : {
            appointment_type_id: appointmentTypeId,
            from_date: firstDay,
            to_date: addDays(firstDay, 6),
            ...(calendarId !== undefined && { calendar_id: calendarId }),
            ...(appointmentId && { appointment_id: appointmentId }),
            partial: true,
          },
      // Reloads until the slots that the provider did not send in time are complete.
      { refetchInterval: ({ state }) => reloadIntervalMs(state.data) },
    ),
  );
  const isGone = useIsGone(isPending ? null : value, appointmentTypeId, query.data);
  useEffect(() => onGone(isGone), [isGone, onGone]);
  const { items, availability_as_of: asOf, trouble } = query.data ?? {};
  const missing = missingAvailabilityMessage(query.data);
  // An incomplete empty list does not mean "no slots".
  const isEmpty = missing !== null && items?.length === 0;
  const error = query.error ?? (isEmpty && trouble ? createApiError('provider_unavailable', trouble) : null);
  return (
    <>
      <SlotPicker
        slots={isEmpty ? undefined : items}
        error={error}
        onRetry={() => void query.refetch()}
        firstDay={firstDay}
        earliestDay={today}
        {...(current && { current })}
        timeZone={timeZone}
        onFirstDayChange={(day) => {
          onChange(null);
          setFirstDay(day);
        }}
        value={value}
        isGone={isGone}
        onChange={onChange}
      />
      <p className="mt-2 text-[13px] text-muted" role="status">
        {error ? null : (missing ?? (asOf && `Times as of ${formatInstant(asOf, 'time', readerZone)}`))}
      </p>
      {appointmentTypeId !== null && query.data && (
        <UnavailableReason
          appointmentTypeId={appointmentTypeId}
          calendarId={calendarId}
          appointmentId={appointmentId}
          timeZone={timeZone}
          firstDay={firstDay}
          onFree={onChange}
        />
      )}
    </>
  );
}

type UnavailableReasonProps = {
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
function UnavailableReason({ appointmentTypeId, calendarId, timeZone, ...props }: UnavailableReasonProps) {
  const { appointmentId, firstDay, onFree } = props;
  const readerZone = useReaderZone();
  const [isOpen, setIsOpen] = useState(false);
  const [time, setTime] = useState('');
  const [requested, setRequested] = useState<string | null>(null);
  const availability = useUnavailableReason(
    requested === null
      ? null
      : {
          appointment_type_id: appointmentTypeId,
          from_date: requested,
          ...(calendarId !== undefined && { calendar_id: calendarId }),
          ...(appointmentId && { appointment_id: appointmentId }),
        },
  );
  const explanation = useRef<HTMLDivElement>(null);
  const isExplained = requested !== null && (availability.isSuccess || availability.isError);
  // The explanation renders below the visible area.
  useEffect(() => {
    if (isExplained) explanation.current?.scrollIntoView({ block: 'nearest' });
  }, [isExplained]);
  if (!isOpen)
    return (
      <p className="mt-1 text-[13px] text-muted">
        Missing a time?{' '}
        <Button variant="link" size="sm" onClick={() => setIsOpen(true)}>
          Why not this time?
        </Button>
      </p>
    );
  const instant = time ? toInstant(time, timeZone) : null;
  const isFree = availability.data?.some(({ offered, reason }) => offered || reason === 'list_is_old');
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
              setRequested(null);
              setTime(event.target.value);
            }}
          />
        </Field>
        <Button
          pending={requested !== null && availability.isFetching}
          disabled={!instant}
          onClick={() => setRequested(instant)}
        >
          Why not this time?
        </Button>
      </div>
      <div aria-live="polite" ref={explanation}>
        {availability.error && <FormError>{firstErrorMessage(availability.error)}</FormError>}
        {requested !== null && availability.data && (
          <>
            <p className="text-[13px] text-muted">{appointmentTime(requested, readerZone, timeZone)}</p>
            <ul className="grid gap-1">
              {sentencesOf(availability.data).map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
            {isFree && (
              <Button size="sm" className="mt-2" onClick={() => onFree(requested)}>
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
