'use client';
import type { ReactNode } from 'react';
import { Combobox } from '#web/ui/combobox.tsx';
import { FormField } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { PhoneInput } from '#web/ui/phone-input.tsx';
import { Select } from '#web/ui/select.tsx';
import { languageOption, searchLanguages } from '../clinic/language-options.ts';
import { ADMINISTRATIVE_GENDERS, GENDER_IDENTITIES, toOptions } from './gender-names.ts';

type PatientFieldsProps = {
  /** The patient signs in, or has a pending invitation. */
  signsIn: boolean;
  invited?: boolean;
};

/** The form's fields, in the order in which a reception desk needs them. */
export function PatientFields({ signsIn, invited = false }: PatientFieldsProps) {
  return (
    <div className="grid gap-6">
      <Group legend="Name">
        <TextField name="first_name" label="First name" />
        <TextField name="last_name" label="Last name" />
        <TextField name="middle_name" label="Middle name" optional />
        <FormField name="birth_date" label="Date of birth" required={false}>
          {(field) => <Input {...field} type="date" />}
        </FormField>
      </Group>
      <Group legend="Contact">
        <FormField
          name="email"
          label="Email"
          required={false}
          {...(invited && { hint: 'Changing it ends the invitation that went there. Then send a new one.' })}
          {...(signsIn && { hint: 'They sign in: use “Change email” under Sign-in, and they confirm the new one.' })}
        >
          {(field) => <Input {...field} type="email" autoComplete="off" disabled={signsIn} />}
        </FormField>
        <FormField name="phones_attributes.0.number" label="Phone" required={false}>
          {({ onChange, ...field }) => <PhoneInput {...field} onValueChange={onChange} />}
        </FormField>
        <TextField name="addresses_attributes.0.line1" label="Street" optional className="md:col-span-2" />
        <TextField name="addresses_attributes.0.city" label="City" optional />
        <div className="grid grid-cols-2 gap-4">
          <TextField name="addresses_attributes.0.state" label="State" optional />
          <TextField name="addresses_attributes.0.zip" label="ZIP" optional />
        </div>
      </Group>
      <Group legend="Record">
        <SelectField name="administrative_gender" label="Sex on record" options={toOptions(ADMINISTRATIVE_GENDERS)} />
        <SelectField name="gender_identity" label="Gender identity" options={toOptions(GENDER_IDENTITIES)} optional />
        <FormField
          name="language"
          label="Language"
          required={false}
          hint="Messages are written in it where you have words in it."
        >
          {({ value, onChange }) => (
            <Combobox
              value={value ? languageOption(value) : null}
              onChange={(option) => onChange(option?.value ?? '')}
              search={searchLanguages}
              placeholder="Type a language"
            />
          )}
        </FormField>
        <TextField
          name="external_id"
          label="Chart number"
          optional
          hint="The number this patient has in your other records."
        />
        <TextField name="tags" label="Tags" optional hint="Separate with commas." />
      </Group>
    </div>
  );
}

function Group({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset>
      <legend className="mb-3 text-xs font-medium text-muted">{legend}</legend>
      <div className="grid gap-4 md:grid-cols-2">{children}</div>
    </fieldset>
  );
}

type TextFieldProps = { name: string; label: string; hint?: string; optional?: boolean; className?: string };

function TextField({ optional, ...rest }: TextFieldProps) {
  return (
    <FormField {...rest} {...(optional && { required: false })}>
      {(field) => <Input {...field} autoComplete="off" />}
    </FormField>
  );
}

type SelectFieldProps = TextFieldProps & { options: { value: string; label: string }[] };

/** Radix reserves the empty value, so "not given" needs a value of its own. */
const NOT_GIVEN = 'not_given';

function SelectField({ optional, options, ...rest }: SelectFieldProps) {
  const choices = optional ? [{ value: NOT_GIVEN, label: 'Not given' }, ...options] : options;
  return (
    <FormField {...rest} {...(optional && { required: false })}>
      {({ value, onChange }) => (
        <Select
          value={value || NOT_GIVEN}
          onValueChange={(next) => onChange(next === NOT_GIVEN ? '' : next)}
          options={choices}
        />
      )}
    </FormField>
  );
}
