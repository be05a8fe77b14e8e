import { notifyTabs } from './session-news.ts';

export type SignInInput = { email: string; password: string; code?: string };
export type SignInOutcome = 'signed_in' | 'code_required' | { errorMessage: string };

/** The same message for a wrong email and a wrong password, so that an attacker cannot find out who works here. */
const ERRORS: Record<string, string> = {
  CredentialsSignin: 'Email or password is wrong. Check both and try again.',
  invalid_code: 'This code is wrong or was used already. Take the one that the app shows now.',
  sign_in_closed:
    'After many wrong passwords, only browsers that have signed in before can sign in. Open the link in your email to let this one in, or set a new password.',
};
const UNREACHABLE = 'The server did not answer. Check your connection and try again.';

/** Signs a staff user in; `errorMessage` is the message to show. */
export async function requestSignIn({ email, password, code }: SignInInput): Promise<SignInOutcome> {
  try {
    const tokenResponse = await fetch('/api/auth/csrf', { cache: 'no-store' });
    const tokenError = rateLimitMessage(tokenResponse);
    if (tokenError) return { errorMessage: tokenError };
    const { csrfToken } = (await tokenResponse.json()) as { csrfToken: string };
    const response = await fetch('/api/auth/callback/credentials', {
      method: 'POST',
      // The form of next-auth, with a JSON response.
      body: new URLSearchParams({ email, password, ...(code && { code }), csrfToken, callbackUrl: '/', json: 'true' }),
    });
    const errorMessage = rateLimitMessage(response);
    if (errorMessage) return { errorMessage };
    const { url } = (await response.json()) as { url: string };
    const error = new URL(url).searchParams.get('error');
    if (response.ok && !error) {
      notifyTabs('signed_in');
      return 'signed_in';
    }
    return error === 'code_required' ? error : { errorMessage: ERRORS[error ?? ''] ?? UNREACHABLE };
  } catch {
    return { errorMessage: UNREACHABLE };
  }
}

/** Message for a rate limit response (429) with the time to wait; null for any other response. */
function rateLimitMessage({ status, headers }: Response): string | null {
  if (status !== 429) return null;
  const seconds = Math.max(1, Number(headers.get('retry-after')));
  return `Too many tries. Wait ${formatWait(seconds)}, then try again.`;
}

function formatWait(seconds: number): string {
  if (seconds === 1) return 'a second';
  return seconds < 100 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

/** For the server as well. Path to open after sign-in: always a page of the portal, never another site, for any value in the URL. */
export function safeReturnPath(requested: string | string[] | undefined): string {
  if (typeof requested !== 'string') return '/';
  try {
    const origin = 'https://portal.invalid';
    const url = new URL(requested, origin);
    // An absolute URL is accepted as well, but only its path is used.
    const path = url.pathname + url.search;
    return path.startsWith('//') || path.startsWith('/sign-in') ? '/' : path;
  } catch {
    return '/';
  }
}
