'use client';
import { Field } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';
import { CodeField } from '../fields.tsx';
import type { Go } from '../screen.ts';
import { StepForm } from '../step-form.tsx';
import { replacePassword } from '../steps/replace-password.ts';
import { completePasswordReset, requestPasswordReset } from '../steps/reset-password.ts';
import { EmailField, NewPasswordField, ResendByMail } from './by-email.tsx';

export function ForgottenPassword({ go }: { go: Go }) {
  return (
    <>
      <p className="mb-4 text-muted">We email you a code to choose a new one with.</p>
      <StepForm
        submit="Email me a code"
        action={async (typed) => {
          await requestPasswordReset(typed('email'));
          go({ at: 'new-password', email: typed('email') });
        }}
      >
        <EmailField />
      </StepForm>
    </>
  );
}

export function NewPassword({ email }: { email: string }) {
  return (
    <>
      <p className="mb-4 wrap-anywhere text-muted">
        If {email} has an account, a code is on its way. A new password signs you out everywhere else.
      </p>
      <StepForm
        submit="Set password and sign in"
        action={(typed) => completePasswordReset(email, typed('code'), typed('password'))}
      >
        <CodeField />
        <NewPasswordField label="New password" />
      </StepForm>
      <ResendByMail resend={() => requestPasswordReset(email)} />
    </>
  );
}

export function ReplacePassword({ email }: { email: string }) {
  return (
    <>
      <p className="mb-4 wrap-anywhere text-muted">
        Your password for {email} is right, and has to be replaced before you go on.
      </p>
      <StepForm
        submit="Set password and sign in"
        action={(typed) => replacePassword(email, typed('before'), typed('password'))}
      >
        <Field label="The password you have just used">
          <Input name="before" type="password" autoComplete="current-password" required />
        </Field>
        <NewPasswordField label="New password" />
      </StepForm>
    </>
  );
}
