import { user } from '#sdk/index.ts';
import { ApiError } from './api-error.ts';
import { baseUrl } from './configure.ts';
import { recordingFetch } from './recording-fetch.ts';

const TIMEOUT_MS = 20_000;

type Options = { body?: object; idempotencyKey?: string };

/**
 * Calls the REST API as the signed-in patient.
 * @throws ApiError, and AuthError when no patient is signed in
 */
export async function callApi<Result>(
  method: string,
  path: string,
  options: Options = {},
): Promise<Result> {
  const attempt = async (renew: boolean) =>
    send(method, path, options, await user.getAccessToken({ renew }));
  let response = await attempt(false);
  // The API rejects a token early when the session was ended elsewhere: renew it
  // once.
  if (response.status === 401) response = await attempt(true);
  if (!response.ok) throw await ApiError.of(response);
  return response.json();
}

function send(
  method: string,
  path: string,
  { body, idempotencyKey }: Options,
  token: string,
): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (body) headers['content-type'] = 'application/json';
  if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return recordingFetch(baseUrl + path, {
    method,
    headers,
    body: body ? JSON.stringify(body) : null,
    signal,
  }).catch((cause) => Promise.reject(ApiError.unreachable(cause)));
}
