'use client';
import { type ComponentProps, useEffect, useId, useState } from 'react';
import { cn } from './cn.ts';
import { pluralize } from './count-label.ts';
import { useFieldWiring } from './field.tsx';
import { Textarea } from './input.tsx';

/** The counter shows when fewer characters are left, or fewer than a fifth of a short text. */
const FEW_LEFT = 500;
/** A change is announced to screen readers after a pause in typing. */
const PAUSE_MS = 700;

/** Returns the number of characters by which a text exceeds the limit; spaces around it do not count. */
export const excessOf = (text: string, limit: number): number => Math.max(0, text.trim().length - limit);

/** "120 characters too many", "80 characters left"; null while there is enough room. */
export function roomLabel(text: string, limit: number): string | null {
  const excess = excessOf(text, limit);
  if (excess > 0) return `${pluralize(excess, 'character')} too many`;
  const left = limit - text.trim().length;
  return left < Math.min(FEW_LEFT, limit / 5) ? `${pluralize(left, 'character')} left` : null;
}

/** Returns why the text cannot be saved, for a form without a schema; null when it fits. */
export const lengthError = (text: string, limit: number): string | null =>
  excessOf(text, limit) > 0 ? `Use at most ${pluralize(limit, 'character')}.` : null;

type LongTextProps = Omit<ComponentProps<typeof Textarea>, 'value'> & {
  value: string;
  /** Maximum length that the contract allows, in characters. */
  limit: number;
};

/**
 * A text of several lines with a limit. A longer text stays, because cutting a pasted text would lose its end unnoticed;
 * the field says by how much it is too long, until the form rejects it with its own error.
 */
export function LongText({ value, limit, ...rest }: LongTextProps) {
  const { 'aria-describedby': describedBy, 'aria-invalid': isRejected } = useFieldWiring();
  const id = useId();
  const label = roomLabel(value, limit);
  const isTooLong = excessOf(value, limit) > 0;
  const shown = isTooLong && isRejected ? null : label;
  const announced = useSettled(isTooLong ? label : null);
  return (
    <>
      <Textarea
        {...(shown && { 'aria-describedby': [describedBy, id].filter(Boolean).join(' ') })}
        {...(isTooLong && { 'aria-invalid': true })}
        value={value}
        {...rest}
      />
      {shown && (
        <p id={id} className={cn('text-[13px] tabular-nums', isTooLong ? 'text-danger-ink' : 'text-muted')}>
          {shown}
        </p>
      )}
      <span role="status" className="sr-only">
        {announced}
      </span>
    </>
  );
}

/** Follows a value after it has not changed for a while. */
function useSettled(value: string | null): string | null {
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timeout = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timeout);
  }, [value]);
  return settled;
}
