import { credentials, passwordless } from '#sdk/index.ts';
import { recordingFetch } from './recording-fetch.ts';

/** Base URL of the REST API, from the tokens. */
export let baseUrl = '';

/**
 * Configures both ways to sign in, with the tokens of Settings → API credentials.
 * They are public, not secrets.
 */
export function configure(tokens: {
  passwordless: string;
  credentials: string;
}): void {
  // A custom fetch is optional; this one lists the requests on the page.
  const options = { environment: 'sandbox', fetch: recordingFetch } as const;
  passwordless.configure(tokens.passwordless, options);
  ({ baseUrl } = credentials.configure(tokens.credentials, options));
}
