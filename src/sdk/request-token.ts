import { ServerOnlyError } from './errors.ts';
import { expectFields } from './expect-fields.ts';
import { type HttpRequest, send } from './http.ts';
import type { ServerOptions } from './server-functions.ts';

/** @throws ServerOnlyError in a page, even when a bundler resolves the Node build */
export function requireServer(): void {
  if (typeof window !== 'undefined' && typeof document !== 'undefined') throw new ServerOnlyError();
}

type Answer = { access_token: string; expires_in: number };

/** Requests a token from a token endpoint, with `client_secret_post`. */
export async function requestToken(
  url: string,
  form: NonNullable<HttpRequest['form']>,
  { fetch = globalThis.fetch }: ServerOptions,
): Promise<Answer> {
  return expectFields(await send(fetch, { method: 'POST', url, form }), ['access_token', 'expires_in']);
}
