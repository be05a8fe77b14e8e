'use client';
import { type ChangeEvent, type ComponentProps, useEffect, useState } from 'react';
import { Input } from './input.tsx';
import { whenIdle } from './when-idle.ts';

type Formatter = typeof import('libphonenumber-js/min').AsYouType;

type PhoneInputProps = Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'type'> & {
  /** E.164 ("+12025550123"), or the raw input while it is not a possible number. */
  value: string;
  onValueChange: (value: string) => void;
};

/**
 * Groups the digits during input: US numbers without a prefix, others after a plus. The number rules load when the page
 * is idle.
 */
export function PhoneInput({ value, onValueChange, ...rest }: PhoneInputProps) {
  const [Formatter, setFormatter] = useState<Formatter>();
  const [text, setText] = useState<string>();
  useEffect(() => {
    let isMounted = true;
    // The page is usable before: the number rules are larger than the rest of a form.
    const cancel = whenIdle(async () => {
      const { AsYouType } = await import('libphonenumber-js/min');
      if (isMounted) setFormatter(() => AsYouType);
    });
    return () => {
      isMounted = false;
      cancel();
    };
  }, []);
  const change = (event: ChangeEvent<HTMLInputElement>) => {
    const typed = event.target.value;
    if (!Formatter) return onValueChange(typed);
    const format = new Formatter('US');
    const formatted = format.input(typed);
    // Regroups only when digits are appended: elsewhere the caret would jump.
    const isAppended = event.target.selectionStart === typed.length && typed.length > (text ?? '').length;
    setText(isAppended ? formatted : typed);
    onValueChange(format.isPossible() ? (format.getNumberValue() ?? typed) : typed);
  };
  const displayed = text ?? (Formatter && value ? new Formatter('US').input(value) : value);
  return (
    <Input
      type="tel"
      inputMode="tel"
      autoComplete="off"
      {...rest}
      value={displayed}
      onChange={change}
      onBlur={(event) => {
        setText(undefined);
        rest.onBlur?.(event);
      }}
    />
  );
}
