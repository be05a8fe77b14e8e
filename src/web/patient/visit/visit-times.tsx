'use client';
import { CalendarClock } from 'lucide-react';
import type { VisitView } from '#contract/visits.ts';
import { formatInstant, isSameLocalTime, zoneName } from '../../ui/format-time.ts';
import { useReaderZone } from '../../ui/use-reader-zone.ts';

type VisitTimesProps = Pick<VisitView, 'from_date' | 'to_date' | 'time_zone'>;

/** The time in the reader's zone and, when it differs, in the clinic's; both are named. */
export function VisitTimes({ from_date, to_date, time_zone }: VisitTimesProps) {
  const reader = useReaderZone();
  const span = (zone: string) => `${formatInstant(from_date, 'time', zone)} – ${formatInstant(to_date, 'time', zone)}`;
  const isElsewhere = !isSameLocalTime(from_date, reader, time_zone);
  const otherDay = formatInstant(from_date, 'day', reader) !== formatInstant(from_date, 'day', time_zone);
  return (
    <div className="flex gap-3 rounded-lg border border-line bg-sunken p-4">
      <CalendarClock aria-hidden className="mt-0.5 size-5 shrink-0 text-accent-ink" />
      <div className="min-w-0 tabular-nums">
        <p className="font-medium">{formatInstant(from_date, 'day', reader)}</p>
        <p>
          <time dateTime={from_date}>{span(reader)}</time> <span className="text-muted">{zoneName(reader)} time</span>
        </p>
        {isElsewhere && (
          <p className="mt-1 text-[13px] text-muted">
            At the clinic: {otherDay && `${formatInstant(from_date, 'day', time_zone)}, `}
            {span(time_zone)} {zoneName(time_zone)} time
          </p>
        )}
      </div>
    </div>
  );
}
