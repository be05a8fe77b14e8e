export type SignInGiven = { email: string; password: string; code?: string };
export type SignInOutcome = 'signed_in' | 'code_required' | { refusal: string };

/** Email and password are never told apart, so that nobody learns who works here. */
const REFUSALS: Record<string, string> = {
  CredentialsSignin: 'Email or password is wrong. Check both and try again.',
  invalid_code: 'This code is wrong or was used already. Take the one that the app shows now.',
  sign_in_closed:
    'After many wrong passwords, only browsers that have signed in before can sign in. Open the link in your email to let this one in, or set a new password.',
  rate_limited: 'Too many tries. Wait a few minutes, then try again.',
};
const UNREACHABLE = 'The server did not answer. Check your connection and try again.';

/** Asks next-auth; a refusal is the sentence to show. */
export async function askSignIn(given: SignInGiven): Promise<SignInOutcome> {
  try {
    const nextAuth = await import('next-auth/react');
    const answer = await nextAuth.signIn('credentials', { ...given, redirect: false });
    if (answer?.ok && !answer.error) return 'signed_in';
    if (answer?.error === 'code_required') return 'code_required';
    return { refusal: REFUSALS[answer?.error ?? ''] ?? UNREACHABLE };
  } catch {
    return { refusal: UNREACHABLE };
  }
}
