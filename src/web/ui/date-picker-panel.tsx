'use client';
import { Popover } from 'radix-ui';
import type { RefObject } from 'react';
import { Button } from './button.tsx';
import { Calendar } from './calendar.tsx';

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
