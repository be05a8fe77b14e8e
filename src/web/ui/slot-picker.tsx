'use client';
import { CalendarX } from 'lucide-react';
import { RadioGroup, Tabs } from 'radix-ui';
import { useState } from 'react';
import { cn } from './cn.ts';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { addDays, formatInstant, isSameLocalTime, localDate, localHour, zoneName } from './format-time.ts';
import { Pager } from './pagination.tsx';
import { FilterSelect } from './plain-select.tsx';
import { Skeleton } from './skeleton.tsx';
import { useReaderZone } from './use-reader-zone.ts';

/** The fields of an availability entry that the slot picker needs. */
export type Slot = { from_date: string; time_zone: string; calendar_id: number };

type PartOfDay = 'Morning' | 'Afternoon' | 'Evening';
/** `isCurrent`: the current time of the appointment, which is shown but cannot be chosen. `isGone`: chosen, then taken. */
type SlotTime = { fromDate: string; isCurrent?: true; isGone?: true };
/** Times that are shown although they are not free. */
type Shown = { current?: string | undefined; gone?: string | undefined };
type SlotDay = { date: string; count: number; parts: Map<PartOfDay, SlotTime[]> };

function partOfDay(hour: number): PartOfDay {
  return hour < 12 ? 'Morning' : hour < 17 ? 'Afternoon' : 'Evening';
}

/**
 * Groups slots into seven local days from `firstDay`, in order; a time that several calendars offer is merged. `count`
 * does not include times that are shown although they are not free.
 */
export function slotsByDay(
  slots: Slot[],
  firstDay: string,
  timeZone: string,
  { current, gone }: Shown = {},
): SlotDay[] {
  const days = Array.from(
    { length: 7 },
    (_, n): SlotDay => ({ date: addDays(firstDay, n), count: 0, parts: new Map() }),
  );
  const byDate = new Map(days.map((day) => [day.date, day]));
  const times = new Map<number, SlotTime>();
  if (gone) times.set(Date.parse(gone), { fromDate: gone, isGone: true });
  if (current) times.set(Date.parse(current), { fromDate: current, isCurrent: true });
  for (const slot of slots) {
    const instant = Date.parse(slot.from_date);
    if (!times.has(instant)) times.set(instant, { fromDate: slot.from_date });
  }
  for (const [, time] of [...times].sort(([a], [b]) => a - b)) {
    const day = byDate.get(localDate(time.fromDate, timeZone));
    if (!day) continue;
    const part = partOfDay(localHour(time.fromDate, timeZone));
    if (!time.isCurrent && !time.isGone) day.count += 1;
    day.parts.set(part, [...(day.parts.get(part) ?? []), time]);
  }
  return days;
}

type SlotPickerProps = {
  slots: Slot[] | undefined;
  /** First of the seven local days shown, YYYY-MM-DD. */
  firstDay: string;
  onFirstDayChange: (day: string) => void;
  /** The first week that can be shown contains this day. */
  earliestDay: string;
  /** The zone of days and times; the reader's local time is added when it differs. */
  timeZone: string;
  /** The current time of an appointment that is being rescheduled: its day is opened, and it is marked there. */
  current?: string;
  /** The chosen slot's `from_date`. */
  value: string | null;
  /** The chosen slot is no longer free: it stays shown, marked as taken. */
  isGone?: boolean;
  onChange: (fromDate: string) => void;
  error?: unknown;
  onRetry?: () => void;
};

export function SlotPicker(props: SlotPickerProps) {
  const { slots, firstDay, onFirstDayChange, earliestDay, timeZone: zone, error, onRetry } = props;
  const readerZone = useReaderZone();
  const gone = props.isGone && props.value ? props.value : undefined;
  const days = slotsByDay(slots ?? [], firstDay, zone, { current: props.current, gone });
  const lastDay = addDays(firstDay, 6);
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
        <p className="font-medium tabular-nums">
          {monthDay(firstDay)} – {monthDay(lastDay)}
          <span className="block text-[13px] font-normal text-muted">Times in {zoneName(zone)}</span>
        </p>
        <div className="flex items-center gap-2">
          <FilterSelect
            label="Month"
            options={monthsFrom(earliestDay, firstDay)}
            value={firstDay.slice(0, 7)}
            onChange={(month) => onFirstDayChange(laterOf(`${month}-01`, earliestDay))}
            className="w-44 max-md:w-40"
          />
          <Pager
            label="Weeks"
            onPrevious={
              firstDay > earliestDay ? () => onFirstDayChange(laterOf(addDays(firstDay, -7), earliestDay)) : undefined
            }
            onNext={() => onFirstDayChange(addDays(firstDay, 7))}
          />
        </div>
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

const laterOf = (a: string, b: string) => (a > b ? a : b);
const MONTHS_AHEAD = 12;

/** The months of the jump list: 12 months from the earliest day, plus the month that is shown. */
function monthsFrom(earliestDay: string, firstDay: string): { value: string; label: string }[] {
  const [year, month] = earliestDay.split('-').map(Number) as [number, number];
  const months = Array.from({ length: MONTHS_AHEAD + 1 }, (_, n) =>
    new Date(Date.UTC(year, month - 1 + n, 1)).toISOString().slice(0, 7),
  );
  return [...new Set([...months, firstDay.slice(0, 7)])].map((value) => ({
    value,
    label: new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
      new Date(value),
    ),
  }));
}

function monthDay(date: string) {
  return new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(new Date(date));
}

function weekday(date: string) {
  return new Intl.DateTimeFormat('en-US', { weekday: 'short', timeZone: 'UTC' }).format(new Date(date));
}

const freeTimesLabel = (count: number) =>
  count === 0 ? 'no free times' : `${count} free ${count === 1 ? 'time' : 'times'}`;

const dayOfMonth = (date: string) => Number(date.slice(8));

type WeekProps = Pick<SlotPickerProps, 'value' | 'onChange' | 'current'> & {
  days: SlotDay[];
  zone: string;
  readerZone: string;
};

function Week({ days, zone, current, ...times }: WeekProps) {
  const { value } = times;
  const valueDay = value && localDate(value, zone);
  const [selectedDay, setSelectedDay] = useState(valueDay);
  const [shownValue, setShownValue] = useState(value);
  // A slot that was chosen elsewhere, such as an alternative, is in view.
  if (value !== shownValue) {
    setShownValue(value);
    if (valueDay) setSelectedDay(valueDay);
  }
  const appointmentDay = current && localDate(current, zone);
  const open =
    selectedDay ??
    days.find((day) => day.date === appointmentDay)?.date ??
    days.find((day) => day.count > 0)?.date ??
    days[0]?.date ??
    '';
  return (
    <Tabs.Root value={open} onValueChange={setSelectedDay}>
      <Tabs.List aria-label="Days" className="grid grid-cols-7 gap-1 rounded-lg bg-sunken p-1">
        {days.map((day) => (
          <Tabs.Trigger
            key={day.date}
            value={day.date}
            aria-label={`${weekday(day.date)} ${dayOfMonth(day.date)}, ${freeTimesLabel(day.count)}${day.date === appointmentDay ? ', the day of the appointment' : ''}`}
            className="flex flex-col items-center rounded-md py-1 text-xs text-muted hover:text-ink data-[state=active]:bg-raised data-[state=active]:text-ink data-[state=active]:shadow-card"
          >
            {weekday(day.date)}{' '}
            <span
              className={cn(
                'text-base font-medium tabular-nums',
                day.count > 0 && 'text-ink',
                day.date === appointmentDay && 'underline decoration-accent decoration-2 underline-offset-4',
              )}
            >
              {dayOfMonth(day.date)}
            </span>
            <span className={cn('mt-0.5 size-1 rounded-full', day.count > 0 && 'bg-accent')} />
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {days.map((day) => (
        <Tabs.Content key={day.date} value={day.date} className="mt-3 min-h-48 rounded-md">
          {day.parts.size > 0 && <Times {...times} day={day} zone={zone} />}
          {day.count === 0 && (
            <EmptyState icon={CalendarX} title="No free times this day" description="Try another day or week." />
          )}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

type TimesProps = Omit<WeekProps, 'days' | 'current'> & { day: SlotDay };

function Times({ day, value, onChange, zone, readerZone }: TimesProps) {
  // Several calendars may offer the chosen instant, each written in its own zone.
  const chosen =
    value && [...day.parts.values()].flat().find(({ fromDate }) => Date.parse(fromDate) === Date.parse(value));
  return (
    <RadioGroup.Root
      aria-label={`Times on ${weekday(day.date)} ${monthDay(day.date)}`}
      value={chosen ? chosen.fromDate : null}
      onValueChange={onChange}
      className="grid gap-3"
    >
      {[...day.parts].map(([part, times]) => (
        <div key={part}>
          <p className="mb-1.5 text-xs font-medium text-muted">{part}</p>
          <div className="grid grid-cols-[repeat(auto-fill,minmax(5.5rem,1fr))] gap-1.5">
            {times.map(({ fromDate, isCurrent, isGone }) =>
              isCurrent ? (
                <p
                  key={fromDate}
                  className="min-h-9 rounded-md border border-dashed border-accent bg-accent-soft px-2 py-1.5 text-center font-medium text-accent-ink tabular-nums max-md:min-h-11"
                >
                  {formatInstant(fromDate, 'time', zone)}
                  <span className="block text-xs font-normal">
                    <span className="sr-only">the appointment is </span>now
                  </span>
                </p>
              ) : (
                <RadioGroup.Item
                  key={fromDate}
                  value={fromDate}
                  className={cn(
                    'min-h-9 rounded-md border px-2 py-1.5 font-medium tabular-nums transition-colors max-md:min-h-11',
                    // Not `disabled`, which would take the focus away from keyboard users.
                    isGone
                      ? 'border-dashed border-danger bg-danger-soft text-danger-ink'
                      : 'border-line bg-raised hover:border-accent data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=checked]:text-on-accent',
                  )}
                >
                  <span className={cn(isGone && 'line-through')}>{formatInstant(fromDate, 'time', zone)}</span>
                  {isGone && <span className="block text-xs font-normal">taken</span>}
                  {!isGone && !isSameLocalTime(fromDate, zone, readerZone) && (
                    <span className="block text-xs font-normal opacity-80">
                      <span className="whitespace-nowrap">{formatInstant(fromDate, 'time', readerZone)}</span>{' '}
                      <span className="whitespace-nowrap">for you</span>
                    </span>
                  )}
                </RadioGroup.Item>
              ),
            )}
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
