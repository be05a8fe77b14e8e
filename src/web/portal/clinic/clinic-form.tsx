'use client';
import type { ClinicView } from '#contract/clinic.ts';
import { Button } from '#web/ui/button.tsx';
import { Combobox } from '#web/ui/combobox.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { PhoneInput } from '#web/ui/phone-input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { ColourField, ColourPreview } from './colour-field.tsx';
import { searchZones, zoneOption } from './time-zones.ts';
import { useSavedClinic } from './use-saved-clinic.ts';

const toValues = ({ logo: _, ...clinic }: ClinicView) => ({
  name: clinic.name,
  time_zone: clinic.time_zone,
  colour: clinic.colour ?? '',
  support_phone: clinic.support_phone ?? '',
  support_email: clinic.support_email ?? '',
  terms_url: clinic.terms_url ?? '',
  privacy_url: clinic.privacy_url ?? '',
});

export function ClinicForm({ clinic }: { clinic: ClinicView }) {
  const client = useTRPCClient();
  const saved = useSavedClinic();
  const form = useApiForm({
    schema: async () => (await import('./clinic-values.ts')).ClinicValues,
    defaultValues: toValues(clinic),
    save: async (values) => {
      const now = await client.clinic.update.mutate(values);
      form.reset(toValues(now));
      toast.success('Clinic saved');
      saved(now);
    },
  });
  const [colour, name] = form.watch(['colour', 'name']);
  return (
    <Form form={form} className="grid gap-5">
      <FormRootError />
      <div className="grid gap-4 md:grid-cols-2">
        <FormField name="name" label="Name" hint="It stands in every message, so shorter is better.">
          {(field) => <Input {...field} autoComplete="organization" />}
        </FormField>
        <FormField name="time_zone" label="Time zone" hint="Times in messages are in this time zone.">
          {({ value, onChange }) => (
            <Combobox
              value={value ? zoneOption(value) : null}
              onChange={(option) => onChange(option?.value ?? '')}
              search={searchZones}
              placeholder="Type a city"
            />
          )}
        </FormField>
        <FormField
          name="support_phone"
          label="Phone for questions"
          required={false}
          hint="Messages ask patients to call it."
        >
          {({ onChange, ...field }) => <PhoneInput {...field} onValueChange={onChange} />}
        </FormField>
        <FormField
          name="support_email"
          label="Email for questions"
          required={false}
          hint="Answers to your mails go there too."
        >
          {(field) => <Input {...field} type="email" autoComplete="off" spellCheck={false} />}
        </FormField>
        <FormField name="terms_url" label="Your terms" required={false} hint="A page of your website.">
          {(field) => <Input {...field} type="url" inputMode="url" autoComplete="off" placeholder="https://" />}
        </FormField>
        <FormField name="privacy_url" label="Your privacy notice" required={false} hint="A page of your website.">
          {(field) => <Input {...field} type="url" inputMode="url" autoComplete="off" placeholder="https://" />}
        </FormField>
      </div>
      <FormField
        name="colour"
        label="Color"
        required={false}
        hint="For buttons and links on patients’ pages, and for the head of mails."
      >
        {({ value, onChange, onBlur, name: field }) => (
          <ColourField value={value} onChange={onChange} onBlur={onBlur} name={field} />
        )}
      </FormField>
      <ColourPreview colour={colour} name={name} />
      <div>
        <Button type="submit" variant="primary" pending={form.formState.isSubmitting}>
          Save clinic
        </Button>
      </div>
    </Form>
  );
}
