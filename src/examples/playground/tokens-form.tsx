'use client';
import { KeyRound } from 'lucide-react';
import { Field } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';
import { ErrorMessage } from './error-message.tsx';
import type { Tokens } from './read-tokens.ts';
import { StepForm } from './step-form.tsx';

type TokensFormProps = {
  /** The error of the stored tokens, if they could not be used. */
  error: unknown;
  /** The tokens of this sandbox's only clinic. */
  clinic: Tokens | null;
  /** @throws ConfigurationError */
  onTokens: (tokens: Tokens) => void;
};

/** A form for users who open the page without tokens. */
export function TokensForm({ error, clinic, onTokens }: TokensFormProps) {
  return (
    <section
      aria-labelledby="tokens-title"
      className="mx-auto w-full max-w-lg rounded-[1.75rem] border border-line bg-surface p-6 shadow-pop"
    >
      <span className="mb-4 grid size-11 place-items-center rounded-full bg-accent-soft text-accent-ink">
        <KeyRound aria-hidden className="size-5" />
      </span>
      <h2 id="tokens-title" className="text-lg font-semibold tracking-tight">
        Which clinic?
      </h2>
      {clinic && (
        <div className="mt-3 mb-4">
          <StepForm submit="This sandbox’s clinic" action={async () => onTokens(clinic)}>
            {null}
          </StepForm>
        </div>
      )}
      <p className="mt-1 mb-5 text-muted">
        {clinic ? 'Or paste' : 'Paste'} the two configuration tokens of your clinic. They are public. You find them in
        the portal under{' '}
        <a
          href="/settings/credentials"
          className="rounded-sm text-accent-ink underline decoration-accent/40 underline-offset-3 hover:decoration-current"
        >
          Settings → API credentials
        </a>
        , where “Open the playground” also passes them on.
      </p>
      <div className="mb-4 empty:hidden">
        <ErrorMessage error={error} />
      </div>
      <StepForm
        submit="Open the playground"
        action={async (typed) => onTokens({ passwordless: typed('passwordless'), credentials: typed('credentials') })}
      >
        <Field label="Sign-in by text message">
          <Input name="passwordless" autoComplete="off" spellCheck={false} placeholder="care_sandbox_…" required />
        </Field>
        <Field label="Sign-in by email and password">
          <Input name="credentials" autoComplete="off" spellCheck={false} placeholder="care_sandbox_…" required />
        </Field>
      </StepForm>
    </section>
  );
}
