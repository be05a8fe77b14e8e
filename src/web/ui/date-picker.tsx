'use client';
import { CalendarDays } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from './button.tsx';
import type { DatePickerProps } from './date-picker-panel.tsx';
import { formatPlainDate } from './format-time.ts';
import { lazyComponent } from './lazy-component.ts';

// The month grid loads on hover, focus or click.
const loadPanel = () => import('./date-picker-panel.tsx').then((module) => module.DatePickerPanel);
const Panel = lazyComponent(loadPanel);

export function DatePicker({ label, value, onChange }: DatePickerProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button
        ref={button}
        aria-label={value ? `${label}: ${formatPlainDate(value)}` : label}
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={loadPanel}
        onFocus={loadPanel}
        onClick={() => setOpen(true)}
      >
        <CalendarDays aria-hidden className="text-muted" />
        {value ? `${label} ${formatPlainDate(value)}` : label}
      </Button>
      {open && <Panel label={label} value={value} onChange={onChange} button={button} onClose={() => setOpen(false)} />}
    </>
  );
}
