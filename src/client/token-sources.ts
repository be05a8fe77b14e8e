import { CarelaneApiError } from './carelane-api-error.ts';
import { isTransient, retryRequest } from './retry.ts';
import { type Fetch, send } from './send.ts';

/**
 * Returns the token for a call.
 * @param rejected a token that the API has just rejected: a new one is required
 */
export type TokenSource = (rejected?: string) => Promise<string>;

export type ApplicationOptions = {
  /** `{PUBLIC_URL}/identity/oauth2/token`. */
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  /** Default: the platform's. */
  fetch?: Fetch;
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
};

/** A token with less time left is not used any more, because it must still be valid when it arrives at the service. */
const MARGIN_MS = 60_000;
const TIMEOUT_MS = 15_000;
const RETRIES = 2;
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const SUBJECT = 'urn:carelane:params:oauth:token-type:patient';

/** Acts as the server application itself. For servers only. */
export const clientCredentials = (application: ApplicationOptions): TokenSource =>
  cachedToken(application, { grant_type: 'client_credentials' });

/** Acts as one patient, named by id or email; requires `patients:impersonate`. For servers only. */
export function impersonation(
  application: ApplicationOptions & ({ patientId: string; email?: never } | { email: string; patientId?: never }),
): TokenSource {
  const { patientId, email } = application;
  return cachedToken(application, {
    grant_type: TOKEN_EXCHANGE,
    subject_token: patientId ?? email ?? '',
    subject_token_type: `${SUBJECT}-${patientId === undefined ? 'email' : 'id'}`,
  });
}

/** The part of `@carelane/auth-sdk` that is used. */
export type Auth = { user: { getAccessToken(options?: { renew?: boolean }): Promise<string> } };

/**
 * Acts as the patient who is signed in with `@carelane/auth-sdk`: `sdkSession({ user })`. Throws the errors of that
 * package.
 */
export function sdkSession({ user }: Auth): TokenSource {
  return async (rejectedToken) => {
    const token = await user.getAccessToken();
    return token === rejectedToken ? user.getAccessToken({ renew: true }) : token;
  };
}

/** Caches one token for all callers and shares one request for it. */
function cachedToken(application: ApplicationOptions, grant: Record<string, string>): TokenSource {
  if (!/^https?:\/\/[^/]/.test(application.tokenUrl))
    throw new TypeError('tokenUrl is the address for tokens: {PUBLIC_URL}/identity/oauth2/token');
  const now = application.now ?? (() => Date.now());
  let cached: { token: string; endsAt: number } | null = null;
  let renewal: Promise<string> | null = null;
  const renew = async () => {
    const { access_token, expires_in } = await requestToken(application, grant);
    cached = { token: access_token, endsAt: now() + expires_in * 1000 };
    return access_token;
  };
  return async (rejectedToken) => {
    if (cached && cached.token !== rejectedToken && cached.endsAt - now() > MARGIN_MS) return cached.token;
    renewal ??= renew().finally(() => {
      renewal = null;
    });
    return renewal;
  };
}

async function requestToken(
  { tokenUrl, clientId, clientSecret, fetch = (...args) => globalThis.fetch(...args) }: ApplicationOptions,
  grant: Record<string, string>,
): Promise<{ access_token: string; expires_in: number }> {
  assertServer();
  const form = new URLSearchParams({ ...grant, client_id: clientId, client_secret: clientSecret });
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  const request = { method: 'POST', url: tokenUrl, headers, body: form.toString() };
  const { status, body } = await retryRequest(() => send({ fetch, timeoutMs: TIMEOUT_MS }, request), {
    retries: RETRIES,
    shouldRetry: isTransient,
  });
  const { access_token, expires_in } = (body ?? {}) as Record<string, unknown>;
  if (typeof access_token !== 'string' || typeof expires_in !== 'number')
    throw new CarelaneApiError('unexpected_answer', 'The token URL returned no token. Is it correct?', {
      status,
    });
  return { access_token, expires_in };
}

function assertServer(): void {
  const { window, document } = globalThis as { window?: unknown; document?: unknown };
  if (window !== undefined && document !== undefined)
    throw new CarelaneApiError(
      'server_only',
      'A client secret must never reach a browser: use this in a server, and sdkSession in an app.',
    );
}
