'use client';
import type { AppointmentView } from '#contract/scheduling.ts';
import { formatInstant, sameClock, zoneName } from '#web/ui/format-time.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';

/** Time of an appointment in the reader's and in the calendar's time zone; shown once when both are equal. */
export function VisitTimes({ visit }: { visit: AppointmentView }) {
  const zone = useReaderZone();
  const { from_date, time_zone } = visit;
  const isSame = sameClock(from_date, zone, time_zone);
  return (
    <dl className="grid gap-3 sm:grid-cols-2">
      <Clock
        term={isSame ? `In ${zoneName(time_zone)}` : `On your clock, ${zoneName(zone)}`}
        visit={visit}
        zone={zone}
      />
      {!isSame && <Clock term={`On the calendar’s clock, ${zoneName(time_zone)}`} visit={visit} zone={time_zone} />}
    </dl>
  );
}

function Clock({ term, visit, zone }: { term: string; visit: AppointmentView; zone: string }) {
  const { from_date, to_date, duration_minutes } = visit;
  return (
    <div>
      <dt className="text-[13px] text-muted">{term}</dt>
      <dd className="tabular-nums">
        <time dateTime={from_date} className="block font-medium">
          {formatInstant(from_date, 'weekday', zone)}
        </time>
        {formatInstant(from_date, 'time', zone)} to {formatInstant(to_date, 'time', zone)}
        <span className="text-muted"> · {duration_minutes} min</span>
      </dd>
    </div>
  );
}
