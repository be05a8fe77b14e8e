'use client';
import { useState } from 'react';
import { CodeStep } from './code-step.tsx';
import { PasswordStep } from './password-step.tsx';
import { requestSignIn, type SignInInput } from './request-sign-in.ts';

/** Email and password, then the second step for users who have one. Each step shows its own error. */
export function SignInForm({ returnTo }: { returnTo: string }) {
  // Stored for the second step, which sends them again together with the code.
  const [passwordInput, setPasswordInput] = useState<SignInInput | null>(null);

  async function submit(input: SignInInput): Promise<string | null> {
    const outcome = await requestSignIn(input);
    if (outcome === 'code_required') setPasswordInput(input);
    // A full page load: the new session must reach every part of the page.
    else if (outcome === 'signed_in') window.location.assign(returnTo);
    else return outcome.errorMessage;
    return null;
  }
  return passwordInput ? (
    <CodeStep onCode={(code) => submit({ ...passwordInput, code })} onBack={() => setPasswordInput(null)} />
  ) : (
    <PasswordStep onSubmit={submit} />
  );
}
