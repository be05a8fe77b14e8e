'use client';
import { PasswordInput } from '#contract/team.ts';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';

type PasswordStepProps = {
  submitLabel: string;
  save: (values: PasswordInput) => Promise<unknown>;
};

/** Confirms the user's password before a change of their sign-in settings. */
export function PasswordStep({ submitLabel, save }: PasswordStepProps) {
  const form = useApiForm({ schema: PasswordInput, defaultValues: { password: '' }, save });
  return (
    <DialogForm form={form} submitLabel={submitLabel}>
      <FormField name="password" label="Your password">
        {(field) => <Input {...field} type="password" autoComplete="current-password" autoFocus />}
      </FormField>
    </DialogForm>
  );
}
