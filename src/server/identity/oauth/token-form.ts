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
    const known = values.get(name);
    if (known && !REPEATABLE.has(name)) throw new OAuthError('invalid_request', 'A parameter is given twice.');
    if (known) known.push(value);
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
