'use client';
import { MailCheck } from 'lucide-react';
import { useState } from 'react';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { Link } from '#web/ui/link.tsx';
import { SubmitButton } from '#web/ui/submit-button.tsx';
import { requestReset } from './staff-links.ts';

/** Does not reveal whether the address belongs to a staff user. */
export function ForgotPasswordForm() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useApiForm({
    schema: async () => (await import('./password-values.ts')).ForgotPasswordValues,
    defaultValues: { email: '' },
    save: async (values) => {
      await requestReset(values);
      setSentTo(values.email);
    },
  });
  if (sentTo)
    return (
      <div aria-live="polite">
        <EmptyState
          icon={MailCheck}
          title="Look into your inbox"
          description={`If someone with the address ${sentTo} works here, a link to set a new password is on its way. It works for 60 minutes.`}
          action={<SignInLink />}
        />
      </div>
    );
  return (
    <Form form={form} className="grid gap-4">
      <FormRootError />
      <FormField name="email" label="Email">
        {(field) => <Input {...field} type="email" autoComplete="username" autoFocus />}
      </FormField>
      <SubmitButton variant="primary" size="lg" pending={form.formState.isSubmitting}>
        Send me a link
      </SubmitButton>
      <p className="text-[13px]">
        <SignInLink />
      </p>
    </Form>
  );
}

function SignInLink() {
  return (
    <Link href="/sign-in" className="inline-block py-0.5 text-accent-ink underline underline-offset-3">
      Back to the sign-in
    </Link>
  );
}
