'use client';
import { KeyRound } from 'lucide-react';
import { Field } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';
import { ErrorMessage } from './error-message.tsx';
import { StepForm } from './step-form.tsx';
import { deviceStorage } from './steps/storage.ts';

export type Tokens = { passwordless: string; credentials: string };

const NAME = 'tokens';

/**
 * Reads the tokens from the URL's fragment, or else the stored ones. A fragment is removed from the address bar once it
 * is stored.
 */
export function readTokens(): Tokens | null {
  const params = new URLSearchParams(window.location.hash.slice(1));
  const [passwordless, credentials] = [params.get('passwordless'), params.get('credentials')];
  if (passwordless && credentials) {
    const tokens = { passwordless, credentials };
    if (storeTokens(tokens)) clearFragment();
    return tokens;
  }
  try {
    return JSON.parse(deviceStorage.read(NAME) ?? 'null');
  } catch {
    return null;
  }
}

/**
 * Rejects tokens of another origin: the content security policy only allows requests to this page's own origin.
 * @throws Error with the address of the other playground
 */
export function assertSameOrigin({ passwordless }: Tokens): void {
  const [, encoded = ''] = /^care_[a-z]+_([\w-]+)$/.exec(passwordless.trim()) ?? [];
  const { api } = JSON.parse(atob(encoded.replaceAll('-', '+').replaceAll('_', '/'))) as { api: string };
  const { origin } = new URL(api);
  if (origin === window.location.origin) return;
  const message = `These tokens are of ${origin}. Open the playground there: ${origin}/playground`;
  throw Object.assign(new Error(message), { code: 'other_address' });
}

/** @returns whether a reload will find them */
export const storeTokens = (tokens: Tokens): boolean => deviceStorage.write(NAME, JSON.stringify(tokens));

export function clearTokens(): void {
  deviceStorage.remove(NAME);
  clearFragment();
}

const clearFragment = () =>
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);

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
