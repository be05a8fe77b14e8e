'use client';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { addDays, localDate } from '#portal/ui/format-time.ts';
import { SlotPicker } from '#portal/ui/slot-picker.tsx';
import { useTRPC } from '../trpc-client.tsx';

type SlotChoiceProps = {
  appointmentTypeId: number | null;
  /** Absent: any calendar that offers the type. */
  calendarId?: number | undefined;
  /** The zone of days and times; its "today" is the first day offered. */
  timeZone: string;
  value: string | null;
  onChange: (fromDate: string | null) => void;
};

/** Free times straight from the scheduling provider, a week at a time. */
export function SlotChoice({ appointmentTypeId, calendarId, timeZone, value, onChange }: SlotChoiceProps) {
  const trpc = useTRPC();
  const [today] = useState(() => localDate(new Date(), timeZone));
  const [firstDay, setFirstDay] = useState(today);
  const query = useQuery(
    trpc.scheduling.listAvailability.queryOptions(
      appointmentTypeId === null
        ? skipToken
        : {
            appointment_type_id: appointmentTypeId,
            from_date: firstDay,
            to_date: addDays(firstDay, 6),
            ...(calendarId !== undefined && { calendar_id: calendarId }),
          },
    ),
  );
  return (
    <SlotPicker
      slots={query.data}
      error={query.error}
      onRetry={() => void query.refetch()}
      firstDay={firstDay}
      earliestDay={today}
      timeZone={timeZone}
      onFirstDayChange={(day) => {
        onChange(null);
        setFirstDay(day);
      }}
      value={value}
      onChange={onChange}
    />
  );
}
