'use client';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Popover } from 'radix-ui';
import type { RefObject } from 'react';
import { DayPicker } from 'react-day-picker';
import { Button, buttonStyle } from './button.tsx';

export type DatePickerProps = {
  label: string;
  /** YYYY-MM-DD, or null for any day. */
  value: string | null;
  onChange: (date: string | null) => void;
};

type DatePickerPanelProps = DatePickerProps & { button: RefObject<HTMLButtonElement | null>; onClose: () => void };

export function DatePickerPanel({ label, value, onChange, button, onClose }: DatePickerPanelProps) {
  const choose = (date: string | null) => {
    onChange(date);
    onClose();
  };
  return (
    <Popover.Root open modal onOpenChange={(open) => !open && onClose()}>
      <Popover.Anchor virtualRef={button as RefObject<HTMLButtonElement>} />
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            button.current?.focus();
          }}
          className="z-60 animate-rise rounded-lg border border-line bg-raised p-3 shadow-pop outline-none"
        >
          <Calendar value={value} onChange={choose} />
          {value && (
            <Button size="sm" variant="ghost" className="mt-2 w-full" onClick={() => choose(null)}>
              Any day
            </Button>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

type CalendarProps = { value: string | null; onChange: (date: string) => void };

const toDate = (day: string) => new Date(`${day}T00:00:00`);
const toDay = (date: Date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

function Calendar({ value, onChange }: CalendarProps) {
  const step = `${buttonStyle({ variant: 'ghost', size: 'sm' })} aspect-square px-0!`;
  return (
    <DayPicker
      mode="single"
      autoFocus
      showOutsideDays
      {...(value && { selected: toDate(value), defaultMonth: toDate(value) })}
      onSelect={(date) => date && onChange(toDay(date))}
      classNames={{
        months: 'relative',
        month_caption: 'flex h-7 items-center px-1 font-medium',
        nav: 'absolute top-0 right-0 flex gap-1',
        button_previous: step,
        button_next: step,
        month_grid: 'mt-2',
        weekday: 'size-8 text-xs font-normal text-muted max-md:size-10',
        day: 'size-8 p-0 text-center max-md:size-10',
        day_button: 'size-full rounded-md tabular-nums hover:bg-hover',
        today: 'font-semibold text-accent-ink',
        selected: '*:bg-accent! *:text-on-accent!',
        outside: 'text-muted',
      }}
      components={{ Chevron }}
    />
  );
}

function Chevron({ orientation }: { orientation?: string }) {
  return orientation === 'left' ? <ChevronLeft aria-hidden /> : <ChevronRight aria-hidden />;
}
