'use client';
import { cn } from './cn.ts';
import { calendarZoneTime, formatInstant, type TimeShape } from './format-time.ts';
import { useReaderZone } from './use-reader-zone.ts';

type DateTimeProps = {
  /** An RFC 3339 instant. */
  value: string | null;
  shape?: TimeShape;
  /** The calendar's IANA zone: its local time is added when it differs from the reader's. */
  calendarZone?: string;
  /** In a table column: takes at most two lines. */
  stacked?: boolean;
};

export function DateTime({ value, shape = 'datetime', calendarZone, stacked }: DateTimeProps) {
  const zone = useReaderZone();
  if (!value) return <span className="text-muted">–</span>;
  const otherZone = calendarZone ? calendarZoneTime(value, zone, calendarZone) : null;
  // The day is above the time; with a second time zone, each zone has one line, so that there are never three.
  const isSplit = stacked && shape === 'datetime' && !otherZone;
  return (
    <span className="tabular-nums">
      <time dateTime={value} className={cn(stacked && 'md:whitespace-nowrap')}>
        {isSplit ? (
          <>
            <span className="whitespace-nowrap md:block">{formatInstant(value, 'weekday', zone)}</span>
            <span className="md:hidden">, </span>
            <span className="whitespace-nowrap md:text-[13px] md:text-muted">{formatInstant(value, 'time', zone)}</span>
          </>
        ) : shape === 'datetime' ? (
          // Line break only between the day and the time.
          <>
            <span className="whitespace-nowrap">{formatInstant(value, 'weekday', zone)},</span>{' '}
            <span className="whitespace-nowrap">{formatInstant(value, 'time', zone)}</span>
          </>
        ) : (
          <span className="whitespace-nowrap">{formatInstant(value, shape, zone)}</span>
        )}
      </time>
      {otherZone && (
        <>
          {' '}
          <span className={cn('whitespace-nowrap text-muted', stacked && 'text-[13px] md:block')}>({otherZone})</span>
        </>
      )}
    </span>
  );
}
