'use client';
import { useState } from 'react';
import { askSignIn, type SignInGiven } from './ask-sign-in.ts';
import { CodeStep } from './code-step.tsx';
import { PasswordStep } from './password-step.tsx';

/** Email and password, then the second step for those who have one. Each step gets the sentence of its refusal. */
export function SignInForm({ returnTo }: { returnTo: string }) {
  // Kept for the second step, which proves both together.
  const [proven, setProven] = useState<SignInGiven | null>(null);

  async function submit(given: SignInGiven): Promise<string | null> {
    const outcome = await askSignIn(given);
    if (outcome === 'code_required') setProven(given);
    // A full load: the new session must reach every part of the page.
    else if (outcome === 'signed_in') window.location.assign(returnTo);
    else return outcome.refusal;
    return null;
  }
  return proven ? (
    <CodeStep onCode={(code) => submit({ ...proven, code })} onBack={() => setProven(null)} />
  ) : (
    <PasswordStep onGiven={submit} />
  );
}
