import { OAuthError } from './oauth-error.ts';

/** RFC 8693 §2.1 lets these parameters repeat; all others may occur once (RFC 6749 §3.2). */
const REPEATABLE = new Set(['audience', 'resource']);

export type TokenForm = { get(name: string): string | undefined; all(name: string): string[] };

/** Parses a form body. An empty parameter counts as omitted and an unknown one is ignored (RFC 6749 §3.2). */
export function readTokenForm(body: string): TokenForm {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (value === '') continue;
    if (value.includes('\u0000')) throw new OAuthError('invalid_request', 'A parameter contains a NUL character.');
    const existing = values.get(name);
    if (existing && !REPEATABLE.has(name)) throw new OAuthError('invalid_request', 'A parameter is given twice.');
    if (existing) existing.push(value);
    else values.set(name, [value]);
  }
  return { get: (name) => values.get(name)?.[0], all: (name) => values.get(name) ?? [] };
}

/** Response of RFC 6749 §5.1, with `issued_token_type` of RFC 8693 §2.2.1. */
export type TokenResponse = {
  access_token: string;
  issued_token_type?: string;
  token_type: 'Bearer';
  /** In seconds. */
  expires_in: number;
  scope: string;
};

export type ClientCredentials = { clientId: string; clientSecret: string };

/** The same error for an unknown client and for a wrong secret. */
export const invalidClient = (description = 'The client id or secret is wrong.'): OAuthError =>
  new OAuthError('invalid_client', description, { status: 401 });

/** Reads `client_secret_basic` or `client_secret_post`; both at once are an error (RFC 6749 §2.3). */
export function readClientCredentials(authorization: string | null, form: TokenForm): ClientCredentials {
  const inBody = { clientId: form.get('client_id'), clientSecret: form.get('client_secret') };
  if (authorization === null) {
    if (!inBody.clientId || !inBody.clientSecret)
      throw invalidClient('Authenticate with client_id and client_secret, by HTTP Basic or in the body.');
    return { clientId: inBody.clientId, clientSecret: inBody.clientSecret };
  }
  if (inBody.clientSecret)
    throw new OAuthError('invalid_request', 'Authenticate by HTTP Basic or in the body, not by both.');
  const basic = readBasic(authorization);
  if (!basic) throw invalidClient('The Authorization header is not HTTP Basic.');
  if (inBody.clientId && inBody.clientId !== basic.clientId)
    throw new OAuthError('invalid_request', 'The client_id in the body is not the one in the header.');
  return basic;
}

/** Id and secret are form-encoded before they are joined (RFC 6749 §2.3.1). */
function readBasic(authorization: string): ClientCredentials | null {
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(authorization)?.[1];
  if (!encoded) return null;
  const [, id, secret] = /^([^:]*):([\s\S]*)$/.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  if (!id || !secret) return null;
  try {
    return { clientId: formDecode(id), clientSecret: formDecode(secret) };
  } catch {
    return null;
  }
}

const formDecode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
