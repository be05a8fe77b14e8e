'use client';
import { useCallback } from 'react';
import { DateTime } from '#web/ui/date-time.tsx';
import { Loading } from '../loading.tsx';
import type { Go } from '../screen.ts';
import { readVisit } from '../steps/list-visits.ts';
import { moveVisit } from '../steps/move-visit.ts';
import { useLoaded } from '../use-loaded.ts';
import { ChooseTime } from './choose-time.tsx';

export function Reschedule({ id, go }: { id: string; go: Go }) {
  const { data: visit, error, reload } = useLoaded(useCallback(() => readVisit(id), [id]));
  if (!visit) return <Loading error={error} what="your visit" onRetry={reload} />;
  return (
    <div className="grid gap-4">
      <p className="text-muted">
        {visit.appointment_type} with {visit.practitioner_name ?? visit.calendar}, now on{' '}
        <DateTime value={visit.from_date} />
      </p>
      <ChooseTime
        typeId={visit.appointment_type_id}
        calendarId={visit.calendar_id}
        submit="Move to"
        onChosen={async (fromDate) => {
          await moveVisit(id, fromDate);
          go({ at: 'visits' });
        }}
      />
    </div>
  );
}
