'use client';
import { type ChangeEvent, type ComponentProps, useEffect, useState } from 'react';
import { Input } from './input.tsx';

type Formatter = typeof import('libphonenumber-js/min').AsYouType;

type PhoneInputProps = Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'type'> & {
  /** E.164 ("+12025550123"), or what was typed so far while it is no possible number yet. */
  value: string;
  onValueChange: (value: string) => void;
};

/** Groups the digits as they are typed: US numbers without a prefix, others after a plus. The rules load with the field. */
export function PhoneInput({ value, onValueChange, ...rest }: PhoneInputProps) {
  const [Formatter, setFormatter] = useState<Formatter>();
  const [text, setText] = useState<string>();
  useEffect(() => {
    let wanted = true;
    void import('libphonenumber-js/min').then(({ AsYouType }) => wanted && setFormatter(() => AsYouType));
    return () => {
      wanted = false;
    };
  }, []);
  const change = (event: ChangeEvent<HTMLInputElement>) => {
    const typed = event.target.value;
    if (!Formatter) return onValueChange(typed);
    const format = new Formatter('US');
    const formatted = format.input(typed);
    // Only growth at the end is regrouped: elsewhere the caret would jump.
    const appended = event.target.selectionStart === typed.length && typed.length > (text ?? '').length;
    setText(appended ? formatted : typed);
    onValueChange(format.isPossible() ? (format.getNumberValue() ?? typed) : typed);
  };
  const shown = text ?? (Formatter && value ? new Formatter('US').input(value) : value);
  return (
    <Input
      type="tel"
      inputMode="tel"
      autoComplete="off"
      {...rest}
      value={shown}
      onChange={change}
      onBlur={(event) => {
        setText(undefined);
        rest.onBlur?.(event);
      }}
    />
  );
}
