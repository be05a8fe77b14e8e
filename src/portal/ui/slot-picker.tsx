'use client';
import { CalendarX } from 'lucide-react';
import { RadioGroup, Tabs } from 'radix-ui';
import { useState } from 'react';
import { cn } from './cn.ts';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { addDays, formatInstant, sameClock, zoneName } from './format-time.ts';
import { Pager } from './pagination.tsx';
import { Skeleton } from './skeleton.tsx';
import { type Slot, type SlotDay, slotsByDay } from './slots-by-day.ts';
import { useReaderZone } from './use-reader-zone.ts';

type SlotPickerProps = {
  slots: Slot[] | undefined;
  /** First of the seven local days shown, YYYY-MM-DD. */
  firstDay: string;
  onFirstDayChange: (day: string) => void;
  /** No earlier week can be shown than the one that holds this day. */
  earliestDay: string;
  /** The zone of days and times; the reader's own clock is added where it differs. */
  timeZone: string;
  /** The chosen slot's `from_date`. */
  value: string | null;
  onChange: (fromDate: string) => void;
  error?: unknown;
  onRetry?: () => void;
};

export function SlotPicker(props: SlotPickerProps) {
  const { slots, firstDay, onFirstDayChange, earliestDay, timeZone: zone, error, onRetry } = props;
  const readerZone = useReaderZone();
  const days = slotsByDay(slots ?? [], firstDay, zone);
  const lastDay = addDays(firstDay, 6);
  return (
    <div>
      <div className="mb-2 flex items-center justify-between gap-3">
        <p className="font-medium tabular-nums">
          {monthDay(firstDay)} – {monthDay(lastDay)}
          <span className="block text-[13px] font-normal text-muted">Times in {zoneName(zone)}</span>
        </p>
        <Pager
          label="Weeks"
          onPrevious={firstDay > earliestDay ? () => onFirstDayChange(addDays(firstDay, -7)) : undefined}
          onNext={() => onFirstDayChange(addDays(firstDay, 7))}
        />
      </div>
      {error ? (
        <ErrorState error={error} title="The free times could not be loaded" onRetry={onRetry} />
      ) : !slots ? (
        <Loading />
      ) : (
        <Week key={firstDay} {...props} days={days} zone={zone} readerZone={readerZone} />
      )}
    </div>
  );
}

function monthDay(date: string) {
  return new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(new Date(date));
}

function weekday(date: string) {
  return new Intl.DateTimeFormat('en-US', { weekday: 'short', timeZone: 'UTC' }).format(new Date(date));
}

const dayOfMonth = (date: string) => Number(date.slice(8));

type WeekProps = Pick<SlotPickerProps, 'value' | 'onChange'> & { days: SlotDay[]; zone: string; readerZone: string };

function Week({ days, value, onChange, zone, readerZone }: WeekProps) {
  const [picked, setPicked] = useState<string | null>(null);
  const open = picked ?? days.find((day) => day.count > 0)?.date ?? days[0]!.date;
  return (
    <Tabs.Root value={open} onValueChange={setPicked}>
      <Tabs.List aria-label="Days" className="grid grid-cols-7 gap-1 rounded-lg bg-sunken p-1">
        {days.map((day) => (
          <Tabs.Trigger
            key={day.date}
            value={day.date}
            aria-label={`${weekday(day.date)} ${dayOfMonth(day.date)}, ${day.count === 0 ? 'no free times' : `${day.count} free`}`}
            className="flex flex-col items-center rounded-md py-1 text-xs text-muted hover:text-ink data-[state=active]:bg-raised data-[state=active]:text-ink data-[state=active]:shadow-card"
          >
            {weekday(day.date)}{' '}
            <span className={cn('text-base font-medium tabular-nums', day.count > 0 && 'text-ink')}>
              {dayOfMonth(day.date)}
            </span>
            <span className={cn('mt-0.5 size-1 rounded-full', day.count > 0 && 'bg-accent')} />
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {days.map((day) => (
        <Tabs.Content key={day.date} value={day.date} className="mt-3 min-h-48 rounded-md">
          {day.count === 0 ? (
            <EmptyState icon={CalendarX} title="No free times this day" description="Try another day or week." />
          ) : (
            <Times day={day} value={value} onChange={onChange} zone={zone} readerZone={readerZone} />
          )}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

type TimesProps = Omit<WeekProps, 'days'> & { day: SlotDay };

function Times({ day, value, onChange, zone, readerZone }: TimesProps) {
  return (
    <RadioGroup.Root
      aria-label={`Times on ${weekday(day.date)} ${monthDay(day.date)}`}
      value={value}
      onValueChange={onChange}
      className="grid gap-3"
    >
      {[...day.parts].map(([part, times]) => (
        <div key={part}>
          <p className="mb-1.5 text-xs font-medium text-muted">{part}</p>
          <div className="grid grid-cols-[repeat(auto-fill,minmax(5.5rem,1fr))] gap-1.5">
            {times.map(({ fromDate, calendars }) => (
              <RadioGroup.Item
                key={fromDate}
                value={fromDate}
                className="min-h-9 rounded-md border border-line bg-raised px-2 py-1.5 font-medium tabular-nums transition-colors hover:border-accent data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=checked]:text-on-accent max-md:min-h-11"
              >
                {formatInstant(fromDate, 'time', zone)}
                {calendars > 1 && <span className="block text-xs font-normal opacity-80">{calendars} free</span>}
                {!sameClock(fromDate, zone, readerZone) && (
                  <span className="block text-xs font-normal opacity-80">
                    {formatInstant(fromDate, 'time', readerZone)} for you
                  </span>
                )}
              </RadioGroup.Item>
            ))}
          </div>
        </div>
      ))}
    </RadioGroup.Root>
  );
}

function Loading() {
  return (
    <div role="status">
      <span className="sr-only">Loading free times…</span>
      <Skeleton className="h-17 rounded-lg" />
      <div className="mt-3 grid min-h-48 grid-cols-4 content-start gap-1.5">
        {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => (
          <Skeleton key={key} className="h-9 rounded-md" />
        ))}
      </div>
    </div>
  );
}
