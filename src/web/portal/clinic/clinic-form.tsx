'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useCallback } from 'react';
import { shadesOf, type Theme } from '#contract/brand-shades.ts';
import type { ClinicView } from '#contract/clinic.ts';
import { Button } from '#web/ui/button.tsx';
import { Combobox, type ComboboxOption } from '#web/ui/combobox.tsx';
import { useFieldWiring } from '#web/ui/field.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { PhoneInput } from '#web/ui/phone-input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

/** Shows the saved clinic, in the portal's frame as well. */
export function useSavedClinic() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  return useCallback(
    (clinic: ClinicView) => {
      queries.setQueryData(trpc.clinic.get.queryKey({}), clinic);
      router.refresh();
    },
    [queries, trpc, router],
  );
}

const READABLE_ENDING = 'so that everything can be read.';

/** Says how a chosen color is adjusted so that what it paints is readable. */
export function shadeMessage(colour: string): string {
  const [light, dark] = [shadesOf(colour, 'light').accent, shadesOf(colour, 'dark').accent];
  if (light !== colour && dark !== colour)
    return `Light pages and emails use a darker shade, ${light}, and dark pages a lighter one, ${dark}, ${READABLE_ENDING}`;
  if (light !== colour)
    return `Light pages and emails use a darker shade, ${light}, ${READABLE_ENDING} Dark pages use your color as it is.`;
  if (dark !== colour)
    return `Light pages and emails use your color as it is. Dark pages use a lighter shade, ${dark}, ${READABLE_ENDING}`;
  return 'Your color can be read everywhere, so it is used as it is.';
}

/** Carelane's own color, and the picker's initial value. */
const OWN_COLOUR = '#0b6b66';
const HEX_COLOUR = /^#[0-9a-f]{6}$/i;

type ColourFieldProps = { value: string; onChange: (colour: string) => void; onBlur?: () => void; name?: string };

/** A color, typed or picked; empty means Carelane's own. */
function ColourField({ value, onChange, onBlur, name }: ColourFieldProps) {
  const wiring = useFieldWiring();
  const chosen = HEX_COLOUR.test(value) ? value.toLowerCase() : OWN_COLOUR;
  return (
    <div className="flex gap-2">
      <input
        type="color"
        aria-label="Pick a color"
        value={chosen}
        onChange={(event) => onChange(event.target.value)}
        className="h-8.5 w-12 shrink-0 rounded-md border border-field bg-surface p-1 max-md:h-10"
      />
      <Input
        {...wiring}
        {...(name && { name })}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        {...(onBlur && { onBlur })}
        placeholder={OWN_COLOUR}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={7}
        className="max-w-40 font-mono"
      />
    </div>
  );
}

/** Previews the color in both themes, and says how it was adjusted to be readable. */
function ColourPreview({ colour, name }: { colour: string; name: string }) {
  if (colour !== '' && !HEX_COLOUR.test(colour)) return null;
  const chosen = colour === '' ? OWN_COLOUR : colour.toLowerCase();
  return (
    <div className="grid gap-2">
      <div className="grid gap-3 sm:grid-cols-2">
        <Sample theme="light" colour={chosen} name={name} />
        <Sample theme="dark" colour={chosen} name={name} />
      </div>
      <p aria-live="polite" className="text-[13px] text-muted">
        {colour === '' ? 'Without a color of your own, pages use Carelane’s.' : shadeMessage(chosen)}
      </p>
    </div>
  );
}

/** Colors of both themes: they are displayed together, so the page's own theme does not apply. */
const THEME_COLOURS: Record<Theme, { background: string; ink: string; line: string }> = {
  light: { background: '#ffffff', ink: '#10211f', line: '#e1e8e8' },
  dark: { background: '#131b1c', ink: '#e7efee', line: '#243031' },
};

function Sample({ theme, colour, name }: { theme: Theme; colour: string; name: string }) {
  const shades = shadesOf(colour, theme);
  const { background, ink, line } = THEME_COLOURS[theme];
  return (
    <figure
      aria-label={`On ${theme} pages`}
      style={{ background, color: ink, borderColor: line }}
      className="grid min-w-0 gap-3 rounded-lg border p-3"
    >
      <figcaption className="text-xs">{theme === 'light' ? 'Light pages and emails' : 'Dark pages'}</figcaption>
      <p className="truncate font-semibold">{name || 'Your clinic'}</p>
      <p className="flex flex-wrap items-center gap-3">
        <span
          style={{ background: shades.accent, color: shades['on-accent'] }}
          className="rounded-md px-3 py-1.5 font-medium"
        >
          Continue
        </span>
        <span style={{ color: shades['accent-ink'] }} className="underline underline-offset-3">
          Terms
        </span>
        <span
          style={{ background: shades['accent-soft'], color: shades['accent-ink'] }}
          className="rounded-full px-2 py-0.5 text-xs font-medium"
        >
          Today
        </span>
      </p>
    </figure>
  );
}

const MAX_OPTIONS = 50;

const zoneOption = (zone: string): ComboboxOption => ({ value: zone, label: zone.replaceAll('_', ' ') });

/** Time zones whose names contain all typed words, in any order: "york", "new york". */
async function searchZones(text: string): Promise<ComboboxOption[]> {
  const words = text.toLowerCase().split(/[\s/_]+/);
  return ['UTC', ...Intl.supportedValuesOf('timeZone')]
    .map(zoneOption)
    .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    .slice(0, MAX_OPTIONS);
}

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
      const updated = await client.clinic.update.mutate(values);
      form.reset(toValues(updated));
      toast.success('Clinic saved');
      saved(updated);
    },
  });
  const [colour, name] = form.watch(['colour', 'name']);
  return (
    <Form form={form} className="grid gap-5">
      <FormRootError />
      <div className="grid gap-4 md:grid-cols-2">
        <FormField name="name" label="Name" hint="It is part of every message, so shorter is better.">
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
          hint="Replies to your emails go there too."
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
        hint="For buttons and links on patients’ pages, and for the head of emails."
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
