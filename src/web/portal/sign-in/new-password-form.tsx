'use client';
import type { StaffLinkView } from '#contract/team.ts';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { redeemStaffLink } from './staff-links.ts';

type NewPasswordFormProps = {
  token: string;
  link: StaffLinkView;
  onDone: (input: { email: string; password: string }) => Promise<void>;
  onOver: () => void;
};

export function NewPasswordForm({ token, link, onDone, onOver }: NewPasswordFormProps) {
  const joins = link.purpose === 'invitation';
  const form = useApiForm({
    schema: async () => (await import('./password-values.ts')).NewPasswordValues,
    defaultValues: { name: link.name, password: '' },
    save: async ({ name, password }) => {
      try {
        await redeemStaffLink({ token, password, ...(joins && { name }) });
        await onDone({ email: link.email, password });
      } catch (error) {
        if (readApiErrors(error)[0].code !== 'expired_code') throw error;
        onOver();
      }
    },
  });
  return (
    <Form form={form} className="grid gap-4">
      <FormRootError />
      <Field label="Email">
        <Input name="email" type="email" autoComplete="username" value={link.email} readOnly />
      </Field>
      {joins && (
        <FormField name="name" label="Your name">
          {(field) => <Input {...field} autoComplete="name" />}
        </FormField>
      )}
      <FormField name="password" label="New password" hint="12 characters or more; a few words are fine.">
        {(field) => <Input {...field} type="password" autoComplete="new-password" autoFocus />}
      </FormField>
      <Button type="submit" variant="primary" size="lg" pending={form.formState.isSubmitting}>
        {joins ? 'Join the team' : 'Set password'}
      </Button>
    </Form>
  );
}
