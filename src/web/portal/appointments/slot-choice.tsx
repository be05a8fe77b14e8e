'use client';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { faultOf } from '#web/ui/api-faults.ts';
import { addDays, formatInstant, localDate } from '#web/ui/format-time.ts';
import { SlotPicker } from '#web/ui/slot-picker.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { missingWords, reloadAfter } from './missing-times.ts';
import { WhyNotThisTime } from './why-not-this-time.tsx';

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
};

/** First day of the week that contains `day`. Weeks count from today; past days map to the first week. */
const weekOf = (day: string, today: string) => {
  const weeks = Math.floor((Date.parse(day) - Date.parse(today)) / (7 * DAY_MS));
  return addDays(today, 7 * Math.max(0, weeks));
};

/** Available slots of the scheduling provider, one week at a time. */
export function SlotChoice({ appointmentTypeId, calendarId, timeZone, current, ...props }: SlotChoiceProps) {
  const { appointmentId, value, onChange } = props;
  const trpc = useTRPC();
  const readerZone = useReaderZone();
  const [today] = useState(() => localDate(new Date(), timeZone));
  const [firstDay, setFirstDay] = useState(() => weekOf(current ? localDate(current, timeZone) : today, today));
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
      { refetchInterval: ({ state }) => reloadAfter(state.data) },
    ),
  );
  const { items, availability_as_of: asOf, trouble } = query.data ?? {};
  const missing = missingWords(query.data);
  // An incomplete empty list does not mean "no slots".
  const isEmpty = missing !== null && items?.length === 0;
  const error = query.error ?? (isEmpty && trouble ? faultOf('provider_unavailable', trouble) : null);
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
        onChange={onChange}
      />
      <p className="mt-2 text-[13px] text-muted" role="status">
        {error ? null : (missing ?? (asOf && `Times as of ${formatInstant(asOf, 'time', readerZone)}`))}
      </p>
      {appointmentTypeId !== null && query.data && (
        <WhyNotThisTime
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
