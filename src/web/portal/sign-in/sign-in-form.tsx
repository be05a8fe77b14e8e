'use client';
import { type FormEvent, useRef, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { Input } from '#web/ui/input.tsx';
import { Link } from '#web/ui/link.tsx';
import { SubmitButton } from '#web/ui/submit-button.tsx';
import { requestSignIn, type SignInInput } from './request-sign-in.ts';

type CodeStepProps = { onCode: (code: string) => Promise<string | null>; onBack: () => void };

const METHODS = {
  app: {
    label: 'Code in your authenticator app',
    hint: 'Six digits; a new code every 30 seconds.',
    inputMode: 'numeric',
    other: 'Use a recovery code',
  },
  recovery: {
    label: 'Recovery code',
    hint: 'One of the ten that you saved; each works once.',
    inputMode: 'text',
    other: 'Use the app',
  },
} as const;

/** Second sign-in step: the server accepts an app code or a recovery code in the same field. */
function CodeStep({ onCode, onBack }: CodeStepProps) {
  const [method, setMethod] = useState<keyof typeof METHODS>('app');
  const [error, setError] = useState<string | null>(null);
  const [missing, setMissing] = useState(false);
  const [pending, setPending] = useState(false);
  const { label, hint, inputMode, other } = METHODS[method];

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get('code')).trim();
    setError(null);
    setMissing(!code);
    if (!code) return;
    setPending(true);
    const sentence = await onCode(code);
    setPending(sentence === null);
    setError(sentence);
  };
  const change = () => {
    setError(null);
    setMissing(false);
    setMethod(method === 'app' ? 'recovery' : 'app');
  };

  return (
    <form noValidate method="post" onSubmit={submit} className="grid gap-4">
      {error && <FormError>{error}</FormError>}
      <Field label={label} hint={hint} error={missing ? 'Enter the code.' : undefined}>
        <Input
          key={method}
          name="code"
          inputMode={inputMode}
          autoComplete={method === 'app' ? 'one-time-code' : 'off'}
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
        />
      </Field>
      <Button type="submit" variant="primary" size="lg" pending={pending}>
        Sign in
      </Button>
      <div className="flex justify-between text-[13px]">
        <Button variant="link" size="sm" onClick={change}>
          {other}
        </Button>
        <Button variant="link" size="sm" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}

export function SignInForm({ returnTo }: { returnTo: string }) {
  // A full page load: the new session must reach every part of the page.
  return <SignInSteps onSignedIn={() => window.location.assign(returnTo)} />;
}

type SignInStepsProps = {
  /** Only this user signs in. */
  email?: string;
  onSignedIn: () => void;
};

/** Email and password, then the second step for users who have one. Each step shows its own error. */
export function SignInSteps({ email, onSignedIn }: SignInStepsProps) {
  // Stored for the second step, which sends them again together with the code.
  const [passwordInput, setPasswordInput] = useState<SignInInput | null>(null);

  async function submit(input: SignInInput): Promise<string | null> {
    const outcome = await requestSignIn(input);
    if (outcome === 'code_required') setPasswordInput(input);
    else if (outcome === 'signed_in') onSignedIn();
    else return outcome.errorMessage;
    return null;
  }
  return passwordInput ? (
    <CodeStep onCode={(code) => submit({ ...passwordInput, code })} onBack={() => setPasswordInput(null)} />
  ) : (
    <PasswordStep email={email} onSubmit={submit} />
  );
}

type Missing = { email?: string; password?: string };
type PasswordStepProps = {
  email: string | undefined;
  onSubmit: (input: { email: string; password: string }) => Promise<string | null>;
};

function findMissing(email: string, password: string): Missing {
  return {
    ...(!/^\S+@\S+$/.test(email) && { email: 'Enter your work email.' }),
    ...(!password && { password: 'Enter your password.' }),
  };
}

function PasswordStep({ email: fixedEmail, onSubmit }: PasswordStepProps) {
  const form = useRef<HTMLFormElement>(null);
  const [missing, setMissing] = useState<Missing>({});
  const [error, setError] = useState<string | null>(null);
  const [pending, setPending] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const formData = new FormData(event.currentTarget);
    const [email, password] = [String(formData.get('email')).trim(), String(formData.get('password'))];
    const nextMissing = findMissing(email, password);
    setMissing(nextMissing);
    setError(null);
    const [first] = Object.keys(nextMissing);
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
        <Input
          name="email"
          type="email"
          autoComplete="username"
          autoFocus={!fixedEmail}
          defaultValue={fixedEmail}
          readOnly={fixedEmail !== undefined}
        />
      </Field>
      <Field label="Password" error={missing.password}>
        <Input name="password" type="password" autoComplete="current-password" autoFocus={fixedEmail !== undefined} />
      </Field>
      <SubmitButton variant="primary" size="lg" pending={pending}>
        Sign in
      </SubmitButton>
      {!fixedEmail && (
        <p className="text-[13px]">
          <Link href="/forgot-password" className="inline-block py-0.5 text-accent-ink underline underline-offset-3">
            Forgot your password?
          </Link>
        </p>
      )}
    </form>
  );
}
