'use client';
import type { PasswordlessUser } from '#sdk/index.ts';
import { Field } from '#web/ui/field.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { Input } from '#web/ui/input.tsx';
import { CodeField, NameFields } from '../fields.tsx';
import { Resend } from '../resend.tsx';
import type { Go } from '../screen.ts';
import { SignInMethod, SignInSwitch } from '../sign-in-method.tsx';
import { StepForm } from '../step-form.tsx';
import { completeSignIn } from '../steps/complete-sign-in.ts';
import { signInByPhone } from '../steps/sign-in-by-phone.ts';
import { signUpByPhone } from '../steps/sign-up-by-phone.ts';

function PhoneField() {
  return (
    <Field label="Mobile number" hint="A US number, in any format.">
      <Input name="phone" type="tel" autoComplete="tel-national" placeholder="(202) 555-0123" required />
    </Field>
  );
}

export function SignUpByPhone({ go }: { go: Go }) {
  return (
    <>
      <SignInMethod way="sign-up-by-phone" go={go} />
      <StepForm
        submit="Text me a code"
        action={async (typed) => {
          const attributes = { first_name: typed('first'), last_name: typed('last') };
          go({ at: 'enter-code', waiting: await signUpByPhone(typed('phone'), attributes) });
        }}
      >
        <NameFields />
        <PhoneField />
      </StepForm>
      <SignInSwitch way="sign-up-by-phone" go={go} />
    </>
  );
}

export function SignInByPhone({ go }: { go: Go }) {
  return (
    <>
      <SignInMethod way="sign-in-by-phone" go={go} />
      <StepForm
        submit="Text me a code"
        action={async (typed) => go({ at: 'enter-code', waiting: await signInByPhone(typed('phone')) })}
      >
        <PhoneField />
      </StepForm>
      <SignInSwitch way="sign-in-by-phone" go={go} />
    </>
  );
}

export function EnterCode({ waiting, go }: { waiting: PasswordlessUser; go: Go }) {
  return (
    <>
      <p className="mb-4 text-muted">
        We texted a code to {formatPhone(waiting.phoneNumber)}. It works for five minutes.
      </p>
      <StepForm submit="Sign in" action={(typed) => completeSignIn(waiting, typed('code'))}>
        <CodeField />
      </StepForm>
      <Resend
        from={waiting.resendAt}
        onResend={async () => {
          const next = await signInByPhone(waiting.phoneNumber);
          go({ at: 'enter-code', waiting: next });
          return next.resendAt;
        }}
      />
    </>
  );
}
