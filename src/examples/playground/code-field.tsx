'use client';
import { Field } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';

/** Input for a code of six or ten digits, with room for spaces. */
export function CodeField() {
  return (
    <Field label="Code">
      <Input
        name="code"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={20}
        className="h-12! text-center font-mono text-xl! tracking-[0.35em]"
      />
    </Field>
  );
}
