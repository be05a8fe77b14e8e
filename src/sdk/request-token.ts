import { ServiceError } from './errors.ts';
import { type HttpRequest, send } from './http.ts';
import type { ServerOptions } from './server-functions.ts';

type Answer = { access_token: string; expires_in: number };

/** Asks a token endpoint, with `client_secret_post`. */
export async function requestToken(
  url: string,
  form: NonNullable<HttpRequest['form']>,
  { fetch = globalThis.fetch }: ServerOptions,
): Promise<Answer> {
  const answer = (await send(fetch, { method: 'POST', url, form })) as Partial<Answer> | null;
  if (typeof answer?.access_token !== 'string' || typeof answer.expires_in !== 'number')
    throw new ServiceError('unexpected_answer', 'The token endpoint gave an answer that makes no sense.');
  return { access_token: answer.access_token, expires_in: answer.expires_in };
}
