'use client';
import { useState } from 'react';
import { Field } from '#web/ui/field.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { Input } from '#web/ui/input.tsx';
import { CodeField } from '../fields.tsx';
import type { Go } from '../screen.ts';
import { StepForm } from '../step-form.tsx';
import { changeEmail, verifyEmail } from '../steps/change-email.ts';
import { changePassword } from '../steps/change-password.ts';
import { changePhoneNumber, verifyPhoneNumber } from '../steps/change-phone-number.ts';
import { NewPasswordField } from './by-email.tsx';

type ChangeProps = {
  /** Where a code was sent; absent before. */
  sentTo?: string | undefined;
  go: Go;
  /** Called after the change: the session data is out of date. */
  onChanged: () => Promise<void>;
};

export function ChangeEmail({ sentTo, go, onChanged }: ChangeProps) {
  if (!sentTo)
    return (
      <StepForm
        submit="Email a code there"
        action={async (typed) => {
          await changeEmail(typed('email'));
          go({ at: 'change-email', sentTo: typed('email') });
        }}
      >
        <Field label="New email address">
          <Input name="email" type="email" autoComplete="email" required />
        </Field>
      </StepForm>
    );
  return (
    <Verification
      message={`We emailed a code to ${sentTo}. Until it is entered, your old address counts.`}
      verify={verifyEmail}
      onDone={async () => {
        await onChanged();
        go({ at: 'profile' });
      }}
    />
  );
}

export function ChangePhoneNumber({ sentTo, go, onChanged }: ChangeProps) {
  if (!sentTo)
    return (
      <StepForm
        submit="Text a code there"
        action={async (typed) => {
          await changePhoneNumber(typed('phone'));
          go({ at: 'change-phone-number', sentTo: typed('phone') });
        }}
      >
        <Field label="New mobile number">
          <Input name="phone" type="tel" autoComplete="tel-national" placeholder="(202) 555-0123" required />
        </Field>
      </StepForm>
    );
  return (
    <Verification
      message={`We texted a code to ${formatPhone(sentTo)}. Until it is entered, your old number counts.`}
      verify={verifyPhoneNumber}
      onDone={async () => {
        await onChanged();
        go({ at: 'profile' });
      }}
    />
  );
}

type VerificationProps = { message: string; verify: (code: string) => Promise<void>; onDone: () => Promise<void> };

function Verification({ message, verify, onDone }: VerificationProps) {
  return (
    <>
      <p className="mb-4 wrap-anywhere text-muted">{message}</p>
      <StepForm
        submit="Verify"
        action={async (typed) => {
          await verify(typed('code'));
          await onDone();
        }}
      >
        <CodeField />
      </StepForm>
    </>
  );
}

export function ChangePassword() {
  const [isDone, setDone] = useState(false);
  if (isDone)
    return (
      <p role="status" className="rounded-md bg-good-soft px-3 py-2 text-good-ink">
        Your password is changed. Other devices are signed out.
      </p>
    );
  return (
    <StepForm
      submit="Change password"
      action={async (typed) => {
        await changePassword(typed('old'), typed('password'));
        setDone(true);
      }}
    >
      <Field label="Current password">
        <Input name="old" type="password" autoComplete="current-password" required />
      </Field>
      <NewPasswordField label="New password" />
    </StepForm>
  );
}
