'use client';
import { useCallback } from 'react';
import { DateTime } from '#web/ui/date-time.tsx';
import { Loading } from '../loading.tsx';
import type { Go } from '../screen.ts';
import { getAppointment } from '../steps/list-appointments.ts';
import { rescheduleAppointment } from '../steps/reschedule-appointment.ts';
import { useLoaded } from '../use-loaded.ts';
import { ChooseTime } from './choose-time.tsx';

export function Reschedule({ id, go }: { id: string; go: Go }) {
  const { data: appointment, error, reload } = useLoaded(useCallback(() => getAppointment(id), [id]));
  if (!appointment) return <Loading error={error} what="your appointment" onRetry={reload} />;
  return (
    <div className="grid gap-4">
      <p className="text-muted">
        {appointment.appointment_type} with {appointment.practitioner_name ?? appointment.calendar}, now on{' '}
        <DateTime value={appointment.from_date} />
      </p>
      <ChooseTime
        typeId={appointment.appointment_type_id}
        calendarId={appointment.calendar_id}
        submit="Move to"
        onChosen={async (fromDate) => {
          await rescheduleAppointment(id, fromDate);
          go({ at: 'appointments' });
        }}
      />
    </div>
  );
}
