'use client';
import { signIn } from 'next-auth/react';
import { useState } from 'react';
import { z } from 'zod';
import { Button } from '#portal/ui/button.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#portal/ui/form.tsx';
import { Input } from '#portal/ui/input.tsx';

const Credentials = z.object({
  email: z.email('Enter your work email.'),
  password: z.string().min(1, 'Enter your password.'),
});

/** Email and password are never told apart, so that nobody learns who works here. */
const REFUSALS: Record<string, string> = {
  CredentialsSignin: 'Email or password is wrong. Check both and try again.',
  rate_limited: 'Too many tries. Wait a few minutes, then try again.',
};

function refusal(error: string | null | undefined) {
  const title = error && REFUSALS[error];
  return title ? { data: { errors: [{ code: error, title }] } } : new Error(error ?? 'no answer');
}

export function SignInForm({ returnTo }: { returnTo: string }) {
  const [leaving, setLeaving] = useState(false);
  const form = useApiForm({
    schema: Credentials,
    defaultValues: { email: '', password: '' },
    save: async (credentials) => {
      const answer = await signIn('credentials', { ...credentials, redirect: false });
      if (!answer?.ok || answer.error) throw refusal(answer?.error);
      setLeaving(true);
      // A full load: the new session must reach every part of the page.
      window.location.assign(returnTo);
    },
  });
  return (
    <Form form={form} className="grid gap-4">
      <FormRootError />
      <FormField name="email" label="Email">
        {(field) => <Input {...field} type="email" autoComplete="username" autoFocus />}
      </FormField>
      <FormField name="password" label="Password">
        {(field) => <Input {...field} type="password" autoComplete="current-password" />}
      </FormField>
      <Button type="submit" variant="primary" size="lg" pending={form.formState.isSubmitting || leaving}>
        Sign in
      </Button>
    </Form>
  );
}
