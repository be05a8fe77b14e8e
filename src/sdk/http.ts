import { errorOfAnswer } from './error-of-answer.ts';
import { AuthError, NetworkError, ServiceError } from './errors.ts';

const TIMEOUT_MS = 15_000;

export type Fetch = typeof globalThis.fetch;
export type HttpRequest = {
  method: string;
  url: string;
  json?: object;
  form?: Record<string, string>;
  bearer?: string;
  /** The same for a repetition of a step, so that the service can return the first response again. */
  idempotencyKey?: string;
};

/**
 * @returns the JSON of the response; null when it is empty
 * @throws NetworkError (retryable), or the error of the response
 */
export async function send(
  fetch: Fetch,
  { method, url, json, form, bearer, idempotencyKey }: HttpRequest,
): Promise<unknown> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (json) headers['content-type'] = 'application/json';
  if (form) headers['content-type'] = 'application/x-www-form-urlencoded';
  if (bearer) headers.authorization = `Bearer ${bearer}`;
  if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(json && { body: JSON.stringify(json) }),
      ...(form && { body: encodeForm(form) }),
      credentials: 'omit',
      cache: 'no-store',
      signal: limit.signal,
    });
    const text = await response.text();
    const parsed = parse(text);
    if (!response.ok)
      throw errorOfAnswer({ status: response.status, body: parsed, retryAfter: response.headers.get('retry-after') });
    if (text && (typeof parsed !== 'object' || parsed === null))
      throw new ServiceError('unexpected_answer', 'The service gave an answer that makes no sense.');
    return parsed ?? null;
  } catch (error) {
    if (error instanceof AuthError) throw error;
    throw limit.signal.aborted
      ? new NetworkError('timeout', 'The service did not answer in time.', { retryable: true, cause: error })
      : new NetworkError('network', 'The service cannot be reached. Is this device online?', {
          retryable: true,
          cause: error,
        });
  } finally {
    clearTimeout(timer);
  }
}

function parse(text: string): unknown {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Own code, because React Native's URLSearchParams is incomplete. */
const encodeForm = (form: Record<string, string>): string =>
  Object.entries(form)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
