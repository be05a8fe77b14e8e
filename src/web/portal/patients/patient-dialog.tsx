'use client';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { DuplicatePatient } from '#contract/duplicate-patients.ts';
import type { PatientView } from '#contract/patients.ts';
import { createApiError } from '#web/ui/api-errors.ts';
import { Combobox } from '#web/ui/combobox.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { PhoneInput } from '#web/ui/phone-input.tsx';
import { Select } from '#web/ui/select.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { languageOption, searchLanguages } from '../clinic/language-options.ts';
import { ADMINISTRATIVE_GENDERS, GENDER_IDENTITIES, toOptions } from './patient.ts';
import { fromFormValues, type PatientFormValues, toFormValues } from './patient-form-values.ts';
import { PossibleDuplicates } from './possible-duplicates.tsx';

type PatientFieldsProps = {
  /** The patient signs in, or has a pending invitation. */
  signsIn: boolean;
  invited?: boolean;
};

/** The form's fields, in the order in which a reception desk needs them. */
function PatientFields({ signsIn, invited = false }: PatientFieldsProps) {
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
          hint="Messages use it if your clinic has texts in it."
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

type PatientDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The patient to edit; without one, a new patient is added. */
  patient?: PatientView;
  /** Invites the new patient to sign in. */
  invite?: boolean;
  onSaved?: (patient: PatientView) => void;
};

const ADDING = 'They are cared for by your clinic and cannot sign in themselves.';
const ON_RECORD =
  'This patient may be on record already. Look at these first; to add a new record all the same, press the button once more.';
const INVITING =
  'They get an email with a temporary password or, without an email address, a text to sign in with their number.';

export function PatientDialog({ open, onOpenChange, ...form }: PatientDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={form.patient ? 'Edit patient' : form.invite ? 'Invite patient' : 'Add patient'}
      {...(!form.patient && { description: form.invite ? INVITING : ADDING })}
    >
      <PatientForm {...form} close={() => onOpenChange(false)} />
    </Dialog>
  );
}

type PatientFormProps = Pick<PatientDialogProps, 'patient' | 'invite' | 'onSaved'> & { close: () => void };

function PatientForm({ patient, invite = false, onSaved, close }: PatientFormProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [duplicates, setDuplicates] = useState<{ key: string; patients: DuplicatePatient[] } | null>(null);
  /** Asks once about patients on record who may be the same; saving the same details again adds the patient. */
  async function assertNew(values: PatientFormValues) {
    const { first_name, last_name, birth_date, email, phones_attributes } = values;
    const phone_number = phones_attributes[0]?.number;
    const details = Object.entries({ first_name, last_name, birth_date, email, phone_number }).filter(
      ([, text]) => text,
    );
    const key = JSON.stringify(details);
    if (duplicates?.key === key) return;
    const patients = await client.patients.findDuplicates.mutate(Object.fromEntries(details));
    setDuplicates({ key, patients });
    if (patients.length > 0) throw createApiError('conflict', ON_RECORD);
  }
  const form = useApiForm({
    schema: async () => (await import('./patient-form-schema.ts')).patientFormValues(patient?.birth_date),
    defaultValues: toFormValues(patient),
    save: async (values) => {
      if (!patient) await assertNew(values);
      const input = fromFormValues(values);
      const saved = patient
        ? await client.patients.update.mutate({
            id: patient.id,
            ...input,
            ...(!patient.can_sign_in && values.email !== (patient.email ?? '') && { email: values.email || null }),
          })
        : await (invite ? client.invitations.create : client.patients.create).mutate({
            ...input,
            ...(values.email && { email: values.email }),
          });
      await Promise.all([
        queries.invalidateQueries(trpc.patients.pathFilter()),
        queries.invalidateQueries(trpc.patientSignIn.pathFilter()),
      ]);
      toast.success(patient ? 'Changes saved' : invite ? 'Invitation sent' : 'Patient added');
      close();
      onSaved?.(saved);
    },
  });
  return (
    <DialogForm form={form} submitLabel={patient ? 'Save changes' : invite ? 'Send invitation' : 'Add patient'}>
      {duplicates && duplicates.patients.length > 0 && <PossibleDuplicates patients={duplicates.patients} />}
      <PatientFields
        signsIn={patient?.can_sign_in ?? false}
        invited={patient?.status === 'invited' && patient.email !== null}
      />
    </DialogForm>
  );
}
