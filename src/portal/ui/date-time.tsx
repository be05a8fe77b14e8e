'use client';
import { formatInstant, sameClock, type TimeShape, zoneName } from './format-time.ts';
import { useReaderZone } from './use-reader-zone.ts';

type DateTimeProps = {
  /** An RFC 3339 instant. */
  value: string | null;
  shape?: TimeShape;
  /** The calendar's zone: its own clock is named beside the reader's where the two differ. */
  calendarZone?: string;
};

export function DateTime({ value, shape = 'datetime', calendarZone }: DateTimeProps) {
  const zone = useReaderZone();
  if (!value) return <span className="text-muted">–</span>;
  const elsewhere = calendarZone && !sameClock(value, zone, calendarZone);
  return (
    <span className="tabular-nums">
      <time dateTime={value}>{formatInstant(value, shape, zone)}</time>
      {elsewhere && (
        <span className="text-muted">
          {' '}
          ({formatInstant(value, 'time', calendarZone)} in {zoneName(calendarZone)})
        </span>
      )}
    </span>
  );
}
