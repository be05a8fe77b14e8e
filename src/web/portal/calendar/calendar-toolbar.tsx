'use client';
import { Printer } from 'lucide-react';
import type { AppointmentTypeView, CalendarView } from '#contract/scheduling.ts';
import { Button } from '#web/ui/button.tsx';
import { DatePicker } from '#web/ui/date-picker.tsx';
import { FilterMenu } from '#web/ui/filter-menu.tsx';
import { FilterSelect } from '#web/ui/filter-select.tsx';
import { Pager } from '#web/ui/pagination.tsx';
import type { View } from './shown-days.ts';

type CalendarToolbarProps = {
  view: View;
  day: string;
  today: string;
  calendars: CalendarView[];
  /** Empty means all calendars. */
  whose: string[];
  types: AppointmentTypeView[] | undefined;
  type: number | undefined;
  onDay: (day: string | null) => void;
  onStep: (direction: 1 | -1) => void;
  onWhose: (ids: string[]) => void;
  onType: (id: string) => void;
  onPrint: () => void;
};

const STEPS = { day: 'Days', list: 'Days', week: 'Weeks', month: 'Months' };

export function CalendarToolbar(props: CalendarToolbarProps) {
  const { view, day, today, calendars, whose, types, type, onDay, onStep, onWhose, onType, onPrint } = props;
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2 print:hidden">
      <Pager label={STEPS[view]} onPrevious={() => onStep(-1)} onNext={() => onStep(1)} />
      <Button onClick={() => onDay(null)} disabled={day === today}>
        Today
      </Button>
      <DatePicker label="Go to" value={day} onChange={onDay} />
      <FilterMenu
        label="Practitioners"
        any="All practitioners"
        options={calendars.map(({ id, name }) => ({ value: String(id), label: name }))}
        values={whose}
        onChange={onWhose}
      />
      {view !== 'month' && types?.length !== 0 && (
        <span className="flex items-center gap-2 max-md:w-full">
          <span aria-hidden className="shrink-0 text-[13px] text-muted">
            Free for
          </span>
          <FilterSelect
            label="Free for"
            options={(types ?? []).map(({ id, name, duration_minutes }) => ({
              value: String(id),
              label: `${name}, ${duration_minutes} min`,
            }))}
            value={String(type ?? '')}
            onChange={onType}
            className="w-60 max-md:min-w-0 max-md:flex-1"
          />
        </span>
      )}
      {(view === 'day' || view === 'list') && (
        <Button onClick={onPrint} className="max-md:hidden">
          <Printer aria-hidden />
          Print the day
        </Button>
      )}
    </div>
  );
}
