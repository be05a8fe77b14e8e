'use client';
import { type FormEvent, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { Input } from '#web/ui/input.tsx';

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
export function CodeStep({ onCode, onBack }: CodeStepProps) {
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
