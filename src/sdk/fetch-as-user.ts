import { type Client, currentClient } from './client.ts';
import { InvalidInputError, NetworkError } from './errors.ts';
import { toHex } from './protocol/hex.ts';
import { freshSession, refreshSession } from './refresh.ts';
import { randomBytes } from './srp/random-bytes.ts';

const REFUSED = 401;
const KEY_BYTES = 16;

/**
 * `fetch` for the REST API as the signed-in user: renews the token once after a 401, and adds an `Idempotency-Key` to a
 * POST that has none. API errors are returned as responses, not thrown.
 * @param path below `baseUrl`: `/patients/me`
 * @throws InvalidInputError for any other address, NotSignedInError, SignInRequiredError, NetworkError
 */
export async function fetchAsUser(path: string, init: RequestInit = {}): Promise<Response> {
  const client = currentClient();
  const url = addressOf(client, path);
  const headers = new Headers(init.headers);
  if (init.method?.toUpperCase() === 'POST' && !headers.has('idempotency-key'))
    headers.set('idempotency-key', toHex(randomBytes(KEY_BYTES)));
  const ask = async (token: string): Promise<Response> => {
    headers.set('authorization', `Bearer ${token}`);
    try {
      return await client.fetch(url, { ...init, headers, credentials: 'omit' });
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      throw new NetworkError('network', 'The service cannot be reached. Is this device online?', {
        retryable: true,
        cause,
      });
    }
  };
  const session = await freshSession(client);
  const answer = await ask(session.accessToken);
  // A stream cannot be read twice.
  const canRepeat = !(typeof ReadableStream === 'function' && init.body instanceof ReadableStream);
  if (answer.status !== REFUSED || !canRepeat) return answer;
  return ask((await refreshSession(client, session)).accessToken);
}

/** Ensures that the token is only sent to the API. */
function addressOf({ configuration }: Client, path: string): string {
  if (typeof path !== 'string' || !path.startsWith('/'))
    throw new InvalidInputError('invalid_parameter', 'Give a path below the address of the API, as "/patients/me".');
  return configuration.api + path;
}
