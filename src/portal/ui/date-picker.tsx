'use client';
import { CalendarDays } from 'lucide-react';
import dynamic from 'next/dynamic';
import { Popover } from 'radix-ui';
import { useState } from 'react';
import { Button } from './button.tsx';
import { formatPlainDate } from './format-time.ts';
import { Skeleton } from './skeleton.tsx';

const Calendar = dynamic(() => import('./calendar.tsx').then((module) => module.Calendar), {
  ssr: false,
  loading: () => <Skeleton className="h-64 w-60" />,
});

type DatePickerProps = {
  label: string;
  /** YYYY-MM-DD or null. */
  value: string | null;
  onChange: (date: string | null) => void;
  /** No day before this one can be chosen. */
  earliest?: string;
  clearable?: boolean;
};

export function DatePicker({ label, value, onChange, earliest, clearable = false }: DatePickerProps) {
  const [open, setOpen] = useState(false);
  const choose = (date: string | null) => {
    onChange(date);
    setOpen(false);
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button aria-label={value ? `${label}: ${formatPlainDate(value)}` : label}>
          <CalendarDays aria-hidden className="text-muted" />
          {value ? formatPlainDate(value) : label}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          className="z-60 animate-rise rounded-lg border border-line bg-raised p-3 shadow-pop outline-none"
        >
          <Calendar value={value} onChange={choose} {...(earliest && { earliest })} />
          {clearable && value && (
            <Button size="sm" variant="ghost" className="mt-2 w-full" onClick={() => choose(null)}>
              Clear
            </Button>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
