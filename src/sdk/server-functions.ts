import type { Fetch } from './http.ts';

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
