'use client';
import { type FormEvent, useRef, useState } from 'react';
import { Button } from '#portal/ui/button.tsx';
import { Field } from '#portal/ui/field.tsx';
import { FormError } from '#portal/ui/form-error.tsx';
import { Input } from '#portal/ui/input.tsx';

/** Email and password are never told apart, so that nobody learns who works here. */
const REFUSALS: Record<string, string> = {
  CredentialsSignin: 'Email or password is wrong. Check both and try again.',
  rate_limited: 'Too many tries. Wait a few minutes, then try again.',
};
const UNREACHABLE = 'The server did not answer. Check your connection and try again.';

/** Null when signed in, else the sentence to show. */
async function signIn(email: string, password: string): Promise<string | null> {
  try {
    const nextAuth = await import('next-auth/react');
    const answer = await nextAuth.signIn('credentials', { email, password, redirect: false });
    if (answer?.ok && !answer.error) return null;
    return REFUSALS[answer?.error ?? ''] ?? UNREACHABLE;
  } catch {
    return UNREACHABLE;
  }
}

type Missing = { email?: string; password?: string };

function findMissing(email: string, password: string): Missing {
  return {
    ...(!/^\S+@\S+$/.test(email) && { email: 'Enter your work email.' }),
    ...(!password && { password: 'Enter your password.' }),
  };
}

export function SignInForm({ returnTo }: { returnTo: string }) {
  const form = useRef<HTMLFormElement>(null);
  const [missing, setMissing] = useState<Missing>({});
  const [refusal, setRefusal] = useState<string | null>(null);
  const [pending, setPending] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const [email, password] = [String(given.get('email')).trim(), String(given.get('password'))];
    const found = findMissing(email, password);
    setMissing(found);
    setRefusal(null);
    const [first] = Object.keys(found);
    if (first) return form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
    setPending(true);
    const sentence = await signIn(email, password);
    // A full load: the new session must reach every part of the page.
    if (sentence === null) return window.location.assign(returnTo);
    setPending(false);
    setRefusal(sentence);
  };

  return (
    <form ref={form} noValidate method="post" onSubmit={submit} className="grid gap-4">
      {refusal && <FormError>{refusal}</FormError>}
      <Field label="Email" error={missing.email}>
        <Input name="email" type="email" autoComplete="username" autoFocus />
      </Field>
      <Field label="Password" error={missing.password}>
        <Input name="password" type="password" autoComplete="current-password" />
      </Field>
      <Button type="submit" variant="primary" size="lg" pending={pending}>
        Sign in
      </Button>
    </form>
  );
}
