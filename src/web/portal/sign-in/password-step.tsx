'use client';
import Link from 'next/link';
import { type FormEvent, useRef, useState } from 'react';
import { Field } from '#web/ui/field.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { Input } from '#web/ui/input.tsx';
import { SubmitButton } from '#web/ui/submit-button.tsx';

type Missing = { email?: string; password?: string };
type PasswordStepProps = { onSubmit: (input: { email: string; password: string }) => Promise<string | null> };

function findMissing(email: string, password: string): Missing {
  return {
    ...(!/^\S+@\S+$/.test(email) && { email: 'Enter your work email.' }),
    ...(!password && { password: 'Enter your password.' }),
  };
}

export function PasswordStep({ onSubmit }: PasswordStepProps) {
  const form = useRef<HTMLFormElement>(null);
  const [missing, setMissing] = useState<Missing>({});
  const [error, setError] = useState<string | null>(null);
  const [pending, setPending] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const formData = new FormData(event.currentTarget);
    const [email, password] = [String(formData.get('email')).trim(), String(formData.get('password'))];
    const found = findMissing(email, password);
    setMissing(found);
    setError(null);
    const [first] = Object.keys(found);
    if (first) return form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
    setPending(true);
    const sentence = await onSubmit({ email, password });
    // Without an error the page is left; the button stays pending until then.
    setPending(sentence === null);
    setError(sentence);
  };

  return (
    <form ref={form} noValidate method="post" onSubmit={submit} className="grid gap-4">
      {error && <FormError>{error}</FormError>}
      <Field label="Email" error={missing.email}>
        <Input name="email" type="email" autoComplete="username" autoFocus />
      </Field>
      <Field label="Password" error={missing.password}>
        <Input name="password" type="password" autoComplete="current-password" />
      </Field>
      <SubmitButton variant="primary" size="lg" pending={pending}>
        Sign in
      </SubmitButton>
      <p className="text-[13px]">
        <Link href="/forgot-password" className="inline-block py-0.5 text-accent-ink underline underline-offset-3">
          Forgot your password?
        </Link>
      </p>
    </form>
  );
}
