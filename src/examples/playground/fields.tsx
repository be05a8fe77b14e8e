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

type NameFieldsProps = { first?: string; last?: string };

export function NameFields({ first = '', last = '' }: NameFieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field label="First name">
        <Input name="first" autoComplete="given-name" defaultValue={first} required />
      </Field>
      <Field label="Last name">
        <Input name="last" autoComplete="family-name" defaultValue={last} required />
      </Field>
    </div>
  );
}
