import { CarelaneApiError } from './carelane-api-error.ts';
import { errorOfAnswer } from './error-of-answer.ts';

export type Fetch = typeof globalThis.fetch;

export type Sending = { fetch: Fetch; timeoutMs: number };

export type HttpRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
};

/** A 2xx response. */
export type Answer = { status: number; headers: Headers; body: unknown };

/**
 * Sends one attempt of a request.
 * @throws CarelaneApiError, or the signal's reason
 */
export async function send({ fetch, timeoutMs }: Sending, request: HttpRequest): Promise<Answer> {
  const { method, url, headers, body, signal } = request;
  signal?.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const leave = () => limit.abort();
  signal?.addEventListener('abort', leave);
  let response: Response;
  let text: string;
  try {
    // A request with a token or a secret must not follow a redirect.
    response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: limit.signal,
    });
    text = await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    throw limit.signal.aborted
      ? new CarelaneApiError('timeout', 'The service did not answer in time.', { cause })
      : new CarelaneApiError('network', 'The service cannot be reached.', { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
  }
  const parsed = parse(text);
  if (!response.ok || (text !== '' && parsed === undefined))
    throw errorOfAnswer(response.status, response.headers, parsed);
  return { status: response.status, headers: response.headers, body: parsed };
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
