import { type Client, call, currentClient } from './client.ts';
import { type CodeSent, codeSent } from './code-sent.ts';
import { loadSecret, storeSecret } from './device-secrets.ts';
import {
  InvalidCredentialsError,
  InvalidInputError,
  NetworkError,
  NotAllowedError,
  NotSignedInError,
  SignInRequiredError,
} from './errors.ts';
import { withIdempotencyKey } from './idempotency.ts';
import { normalizeCode, normalizeEmail, normalizePhoneNumber } from './normalize.ts';
import { checkPassword } from './password-rules.ts';
import type { Endpoint, Wire, WireUser } from './protocol/endpoints.ts';
import { toHex } from './protocol/hex.ts';
import { freshSession, refreshSession } from './refresh.ts';
import { changeSession, endSession, readSession } from './session.ts';
import { makeVerifier } from './srp/make-verifier.ts';
import { provePassword } from './srp/prove-password.ts';
import { randomBytes } from './srp/suite.ts';
import { payloadOf, type UserPayload } from './user-payload.ts';

const UNAUTHORIZED = 401;
const KEY_BYTES = 16;

/**
 * `fetch` for the REST API as the signed-in user: renews the token once after a 401, and adds an `Idempotency-Key` to a
 * POST that has none. API errors are returned as responses, not thrown.
 * @param path below `baseUrl`: `/patients/me`
 * @throws InvalidInputError for any other address, NotSignedInError, SignInRequiredError, NetworkError
 */
async function fetchAsUser(path: string, init: RequestInit = {}): Promise<Response> {
  const client = currentClient();
  const url = addressOf(client, path);
  const headers = new Headers(init.headers);
  if (init.method?.toUpperCase() === 'POST' && !headers.has('idempotency-key'))
    headers.set('idempotency-key', toHex(randomBytes(KEY_BYTES)));
  const fetchWithToken = async (token: string): Promise<Response> => {
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
  const response = await fetchWithToken(session.accessToken);
  // A stream cannot be read twice.
  const canRepeat = !(typeof ReadableStream === 'function' && init.body instanceof ReadableStream);
  if (response.status !== UNAUTHORIZED || !canRepeat) return response;
  return fetchWithToken((await refreshSession(client, session)).accessToken);
}

/** Ensures that the token is only sent to the API. */
function addressOf({ configuration }: Client, path: string): string {
  if (typeof path !== 'string' || !path.startsWith('/'))
    throw new InvalidInputError(
      'invalid_parameter',
      'Pass a path below the address of the API, such as "/patients/me".',
    );
  return configuration.api + path;
}

/**
 * Ends the session here, in the other tabs and at the service. When offline, it ends here and throws: the next start
 * completes it.
 */
async function signOut(): Promise<void> {
  if (!(await endSession(currentClient()))) throw new NotSignedInError();
}

/**
 * Returns an access token for the REST API, valid for at least a minute (less only while offline).
 * @param options `renew` requests a new one regardless, after the API rejected this one
 * @throws NotSignedInError, SignInRequiredError, NetworkError
 */
async function getAccessToken({ renew = false }: { renew?: boolean } = {}): Promise<string> {
  return (await freshSession(currentClient(), renew)).accessToken;
}

/** Returns the signed-in user, as of the last sign-in or refresh. */
async function getPayload(): Promise<UserPayload> {
  return payloadOf(await freshSession(currentClient()));
}

/**
 * Emails a code to the new address, which is only used after `verifyEmail`.
 * @throws NotAllowedError on a device that is not known
 */
async function updateEmail(new_email: string): Promise<CodeSent> {
  const client = currentClient();
  const body = { email: normalizeEmail(new_email), ...(await deviceOf(client)) };
  return codeSent(client, await callAsUser(client, 'updateEmail', body));
}

/** @throws InvalidCodeError, NotAllowedError */
async function verifyEmail(code: string): Promise<void> {
  await verify('verifyEmail', normalizeCode(code));
}

/**
 * Texts a code to the new number, which is only used after `verifyPhoneNumber`.
 * @throws NotAllowedError on a device that is not known
 */
async function updatePhoneNumber(new_phone_number: string): Promise<CodeSent> {
  const client = currentClient();
  const phone_number = normalizePhoneNumber(new_phone_number);
  const body = { phone_number, ...(await deviceOf(client)) };
  return codeSent(client, await callAsUser(client, 'updatePhone', body));
}

/** @throws InvalidCodeError, NotAllowedError */
async function verifyPhoneNumber(code: string): Promise<void> {
  await verify('verifyPhone', normalizeCode(code));
}

/**
 * Changes the password. Other sessions end, this one continues.
 * @throws InvalidCredentialsError, PasswordRuleError, NotAllowedError
 */
async function updatePassword(old_password: string, new_password: string): Promise<void> {
  const client = currentClient();
  const session = await freshSession(client);
  const { flow, user, clientId } = session;
  if (!payloadOf(session).hasPassword || flow !== 'credentials' || !user.email)
    throw new NotAllowedError('no_password', 'This user signs in by text message and has no password.');
  checkPassword(new_password, user.email);
  const { email } = user;
  const sessionClient = { ...client, configuration: { ...client.configuration, clientId } };
  const change = async (password: string) => {
    const { checkServer, handshake, M1, identity } = await provePassword(sessionClient, email, password);
    const srp = await makeVerifier(new_password, identity);
    checkServer((await callAsUser(client, 'updatePassword', { handshake, M1, srp })).M2);
  };
  await withIdempotencyKey(['password', user.user_id, old_password, new_password], async (_, isRepetition) => {
    try {
      await change(old_password);
    } catch (error) {
      if (!isRepetition || !(error instanceof InvalidCredentialsError)) throw error;
      // It may have been changed before and the response lost: then the new password is already valid.
      await change(new_password);
    }
  });
}

/**
 * Calls the listener after a sign-in or sign-out in this tab or another, also when another user replaced the signed-in
 * one.
 * @returns a function that removes the listener
 */
function onSessionChange(listener: (isSignedIn: boolean) => void): () => void {
  const client = currentClient();
  let last: string | null | undefined;
  const check = async () => {
    const userId = (await readSession(client))?.user.user_id ?? null;
    if (last !== undefined && last !== userId) listener(userId !== null);
    last = userId;
  };
  void check();
  return client.tabs.listen(() => void check());
}

/** A token may be revoked before it expires: one refresh shows whether the session still exists. */
async function callAsUser<Name extends Endpoint>(
  client: Client,
  endpoint: Name,
  body: Wire[Name]['body'],
  options: { idempotencyKey?: string } = {},
): Promise<Wire[Name]['response']> {
  const session = await freshSession(client);
  try {
    return await call(client, endpoint, body, { ...options, bearer: session.accessToken });
  } catch (error) {
    if (!(error instanceof SignInRequiredError)) throw error;
    const { accessToken } = await refreshSession(client, session);
    return call(client, endpoint, body, { ...options, bearer: accessToken });
  }
}

async function verify(endpoint: 'verifyEmail' | 'verifyPhone', code: string): Promise<void> {
  const client = currentClient();
  const { user } = await freshSession(client);
  await withIdempotencyKey([endpoint, user.user_id, code], async (idempotencyKey) =>
    storeUser(client, await callAsUser(client, endpoint, { code, ...(await deviceOf(client)) }, { idempotencyKey })),
  );
}

/** Returns the secret of a device that has signed in before: a token alone cannot change how a user signs in. */
async function deviceOf(client: Client): Promise<{ device?: string }> {
  const { user } = await freshSession(client);
  return loadSecret(client, 'device', user.user_id);
}

async function storeUser(client: Client, user: WireUser): Promise<void> {
  const { device } = await loadSecret(client, 'device', user.user_id);
  // Also under the new address, which the user will enter to sign in.
  if (device) await storeSecret(client, 'device', [user.email, user.phone_number], device);
  const session = await readSession(client);
  if (session) await changeSession(client, session, (current) => ({ ...current, user }));
}

/** The signed-in user, of either flow. */
export const user = {
  signOut,
  fetch: fetchAsUser,
  getAccessToken,
  getPayload,
  updateEmail,
  verifyEmail,
  updatePhoneNumber,
  verifyPhoneNumber,
  updatePassword,
  onSessionChange,
};
