'use client';
import { type FormEvent, useState } from 'react';
import { Button } from '#portal/ui/button.tsx';
import { Field } from '#portal/ui/field.tsx';
import { FormError } from '#portal/ui/form-error.tsx';
import { Input } from '#portal/ui/input.tsx';
import { type AuthError, credentials, user } from '#sdk/index.ts';

/** What was typed, by the names of the fields. */
const read = (form: HTMLFormElement) => {
  const typed = new FormData(form);
  const text = (name: string) => String(typed.get(name) ?? '').trim();
  return { email: text('email'), temporary: text('temporary'), password: String(typed.get('password') ?? '') };
};

export function InvitationForm({ onDone }: { onDone: () => void }) {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<AuthError | null>(null);
  const [sentTo, setSentTo] = useState<string | null>(null);

  async function run(action: () => Promise<void>) {
    setPending(true);
    setError(null);
    setSentTo(null);
    try {
      await action();
    } catch (fault) {
      setError(fault as AuthError);
    }
    setPending(false);
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { email, temporary, password } = read(event.currentTarget);
    void run(async () => {
      await credentials.completeInvitationAndSetPassword(email, temporary, password);
      // This page is not the patient's app: no session stays in this browser.
      await user.signOut();
      onDone();
    });
  };
  const resend = (form: HTMLFormElement | null) => {
    const { email } = form ? read(form) : { email: '' };
    void run(async () => {
      await credentials.resendConfirmationCode(email);
      setSentTo(email);
    });
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <p className="text-muted">Choose a password of your own. The mail names the temporary one.</p>
      {error && <FormError>{error.message}</FormError>}
      <Field label="E-mail address" required>
        <Input name="email" type="email" autoComplete="username" required />
      </Field>
      <Field label="Temporary password" required>
        <Input name="temporary" autoComplete="off" autoCapitalize="none" spellCheck={false} required />
      </Field>
      <Field label="New password" hint="12 characters or more." required>
        <Input name="password" type="password" autoComplete="new-password" minLength={12} required />
      </Field>
      <Button type="submit" variant="primary" size="lg" pending={pending}>
        Set password
      </Button>
      <p className="text-[13px] text-muted">
        Expired after 7 days, or lost?{' '}
        <Button variant="link" size="sm" disabled={pending} onClick={(event) => resend(event.currentTarget.form)}>
          Send me another invitation
        </Button>
      </p>
      <p aria-live="polite" className="text-[13px]">
        {sentTo && `If ${sentTo} was invited, a new mail is on its way.`}
      </p>
    </form>
  );
}
