'use client';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';
import { CodeField, NameFields } from '../fields.tsx';
import { inSeconds, Resend } from '../resend.tsx';
import type { Go } from '../screen.ts';
import { SignInMethod, SignInSwitch } from '../sign-in-method.tsx';
import { StepForm } from '../step-form.tsx';
import { confirmSignUp, resendConfirmationCode } from '../steps/confirm-sign-up.ts';
import { signInByEmail } from '../steps/sign-in-by-email.ts';
import { signUpByEmail } from '../steps/sign-up-by-email.ts';

/** The service's first wait between two codes. */
const FIRST_WAIT_SECONDS = 30;

export function EmailField({ email = '' }: { email?: string | undefined }) {
  return (
    <Field label="Email address">
      <Input name="email" type="email" autoComplete="username" defaultValue={email} required />
    </Field>
  );
}

export function NewPasswordField({ label = 'Password' }: { label?: string }) {
  return (
    <Field label={label} hint="12 characters or more, for example a few words.">
      <Input name="password" type="password" autoComplete="new-password" required />
    </Field>
  );
}

export function SignUpByEmail({ go }: { go: Go }) {
  return (
    <>
      <SignInMethod way="sign-up-by-email" go={go} />
      <StepForm
        submit="Create account"
        action={async (typed) => {
          const attributes = { first_name: typed('first'), last_name: typed('last') };
          await signUpByEmail(typed('email'), typed('password'), attributes);
          go({ at: 'confirm-email', email: typed('email') });
        }}
      >
        <NameFields />
        <EmailField />
        <NewPasswordField />
      </StepForm>
      <SignInSwitch way="sign-up-by-email" go={go} />
    </>
  );
}

export function ConfirmEmail({ email, go }: { email: string; go: Go }) {
  return (
    <>
      <p className="mb-4 wrap-anywhere text-muted">We emailed a code to {email}. It works for a day, on this device.</p>
      <StepForm
        submit="Confirm"
        action={async (typed) => {
          await confirmSignUp(email, typed('code'));
          go({ at: 'sign-in-by-email', email, isConfirmed: true });
        }}
      >
        <CodeField />
      </StepForm>
      <ResendByMail resend={() => resendConfirmationCode(email)} />
    </>
  );
}

/** The step does not return the wait after an email; a request that is too early fails with the remaining time. */
export function ResendByMail({ resend }: { resend: () => Promise<void> }) {
  const [from] = useState(() => inSeconds(FIRST_WAIT_SECONDS));
  return (
    <Resend
      from={from}
      onResend={async () => {
        await resend();
        return inSeconds(2 * FIRST_WAIT_SECONDS);
      }}
    />
  );
}

type SignInByEmailProps = { email?: string | undefined; isConfirmed?: boolean | undefined; go: Go };

export function SignInByEmail({ email, isConfirmed, go }: SignInByEmailProps) {
  return (
    <>
      {isConfirmed && (
        <p role="status" className="mb-4 rounded-md bg-good-soft px-3 py-2 text-good-ink">
          Your email is confirmed. Sign in with your password.
        </p>
      )}
      <SignInMethod way="sign-in-by-email" go={go} />
      <StepForm
        submit="Sign in"
        action={async (typed) => {
          const next = await signInByEmail(typed('email'), typed('password'));
          if (next === 'confirm first') go({ at: 'confirm-email', email: typed('email') });
          if (next === 'replace the password') go({ at: 'replace-password', email: typed('email') });
        }}
      >
        <EmailField email={email} />
        <Field label="Password">
          <Input name="password" type="password" autoComplete="current-password" required />
        </Field>
      </StepForm>
      <p className="mt-3 text-center text-[13px]">
        <Button variant="link" size="sm" onClick={() => go({ at: 'forgotten-password' })}>
          Forgotten password?
        </Button>
      </p>
      <SignInSwitch way="sign-in-by-email" go={go} />
    </>
  );
}
