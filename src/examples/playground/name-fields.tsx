'use client';
import { Field } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';

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
