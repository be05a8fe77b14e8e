import { InvalidInputError, ServerOnlyError } from './errors.ts';
import { expectFields } from './expect-fields.ts';
import { type Fetch, type HttpRequest, send } from './http.ts';
import { normalizeEmail } from './normalize.ts';

export type ServerOptions = {
  /** Default: the platform's. */
  fetch?: Fetch;
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
};

/** For servers that act on their own behalf. `url` is the token endpoint, `{auth_url}`. */
export type MachineToMachine = {
  /** @returns an access token, cached until 60 s before it expires */
  getAccessToken(url: string, client_id: string, client_secret: string, options?: ServerOptions): Promise<string>;
};

/** The patient a server acts for, by one of the two. */
export type ActedFor = { patientId: string; email?: never } | { email: string; patientId?: never };

/** For servers that act for one patient. */
export type Impersonation = {
  /**
   * @param patient the patient's email as text, or `{ patientId }` or `{ email }`: patients who sign in by phone may
   * have no email
   * @returns an access token of that patient, valid for at most an hour
   */
  signIn(
    patient: string | ActedFor,
    url: string,
    client_id: string,
    client_secret: string,
    options?: ServerOptions,
  ): Promise<string>;
};

/** @throws ServerOnlyError in a page, even when a bundler resolves the Node build */
function requireServer(): void {
  if (typeof window !== 'undefined' && typeof document !== 'undefined') throw new ServerOnlyError();
}

type TokenResponse = { access_token: string; expires_in: number };

/** Requests a token from a token endpoint, with `client_secret_post`. */
async function requestToken(
  url: string,
  form: NonNullable<HttpRequest['form']>,
  { fetch = globalThis.fetch }: ServerOptions,
): Promise<TokenResponse> {
  return expectFields(await send(fetch, { method: 'POST', url, form }), ['access_token', 'expires_in']);
}

const MARGIN_MS = 60_000;
/** Cached tokens by token endpoint, client and secret; concurrent callers share a running request. */
const tokenCache = new Map<string, { token: Promise<string>; expiresAt: number }>();

export const machineToMachine: MachineToMachine = {
  async getAccessToken(url, client_id, client_secret, options = {}) {
    requireServer();
    const now = options.now ?? Date.now;
    const key = JSON.stringify([url, client_id, client_secret]);
    const entry = tokenCache.get(key);
    if (entry && entry.expiresAt - now() > MARGIN_MS) return entry.token;
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    const grant = requestToken(url, form, options);
    const next = { token: grant.then(({ access_token }) => access_token), expiresAt: Number.POSITIVE_INFINITY };
    // The error is thrown by `grant` below; this prevents an unhandled rejection.
    next.token.catch(() => undefined);
    tokenCache.set(key, next);
    try {
      const { expires_in } = await grant;
      next.expiresAt = now() + expires_in * 1000;
    } catch (error) {
      tokenCache.delete(key);
      throw error;
    }
    return next.token;
  },
};

/** RFC 8693: the application authenticates and names the patient it acts for. */
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const PATIENT_EMAIL = 'urn:carelane:params:oauth:token-type:patient-email';
const PATIENT_ID = 'urn:carelane:params:oauth:token-type:patient-id';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const impersonation: Impersonation = {
  async signIn(patient, url, client_id, client_secret, options = {}) {
    requireServer();
    const form = { grant_type: TOKEN_EXCHANGE, client_id, client_secret, ...subjectOf(patient) };
    return (await requestToken(url, form, options)).access_token;
  },
};

function subjectOf(patient: string | ActedFor) {
  const { email, patientId } = typeof patient === 'string' ? { email: patient } : (patient ?? {});
  if (patientId === undefined && email !== undefined)
    return { subject_token: normalizeEmail(email), subject_token_type: PATIENT_EMAIL };
  const id = String(patientId).trim().toLowerCase();
  if (email !== undefined || !UUID.test(id))
    throw new InvalidInputError(
      'invalid_parameter',
      "Name the patient by { patientId }, their record's id, or by { email }.",
    );
  return { subject_token: id, subject_token_type: PATIENT_ID };
}
