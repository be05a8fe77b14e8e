import type { ApiErrorObject } from './api-types.ts';
import { CarelaneApiError, type CarelaneErrorCode } from './carelane-api-error.ts';

export type Fetch = typeof globalThis.fetch;

export type SendOptions = { fetch: Fetch; timeoutMs: number };

export type HttpRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
};

/** A 2xx response. */
export type ApiResponse = { status: number; headers: Headers; body: unknown };

/**
 * Sends one attempt of a request.
 * @throws CarelaneApiError, or the signal's reason
 */
export async function send({ fetch, timeoutMs }: SendOptions, request: HttpRequest): Promise<ApiResponse> {
  const { method, url, headers, body, signal } = request;
  signal?.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const onAbort = () => limit.abort();
  signal?.addEventListener('abort', onAbort);
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
      ? new CarelaneApiError('timeout', 'The service did not respond in time.', { cause })
      : new CarelaneApiError('network', 'The service cannot be reached.', { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
  const parsed = parse(text);
  if (!response.ok || (text !== '' && parsed === undefined))
    throw errorOfResponse(response.status, response.headers, parsed);
  return { status: response.status, headers: response.headers, body: parsed };
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isErrorObject = (value: unknown): value is ApiErrorObject =>
  isObject(value) && typeof value.code === 'string' && typeof value.detail === 'string';

/** Returns the error for a response other than 2xx: in the API's own format, or in that of RFC 6749 §5.2. */
function errorOfResponse(status: number, headers: Headers, body: unknown): CarelaneApiError {
  const { errors, request_id, error, error_description } = isObject(body) ? body : {};
  const errorObjects = Array.isArray(errors) ? errors.filter(isErrorObject) : [];
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
  const details = {
    status,
    errors: errorObjects,
    requestId: typeof request_id === 'string' ? request_id : (headers.get('request-id') ?? undefined),
    retryAfter: seconds >= 0 ? seconds : undefined,
  };
  const [first] = errorObjects;
  if (first) return new CarelaneApiError(first.code, first.detail, details);
  if (typeof error === 'string')
    return new CarelaneApiError(
      error as CarelaneErrorCode,
      typeof error_description === 'string' ? error_description : error,
      details,
    );
  return new CarelaneApiError(
    'unexpected_answer',
    `The response (${status}) is not from this API. Is the URL correct?`,
    details,
  );
}
