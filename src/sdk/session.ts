import { fromBase64Url } from './base64-url.ts';
import { type Client, call, type Flow } from './client.ts';
import { storeSecret } from './device-secrets.ts';
import { send } from './http.ts';
import { REVOKE_PATH, type WireTokens, type WireUser } from './protocol/endpoints.ts';

/**
 * The stored data of a sign-in. Instants are milliseconds since 1970 by this device's own clock, which may be wrong.
 */
export type Session = {
  v: 1;
  flow: Flow;
  clientId: string;
  accessToken: string;
  accessExpiresAt: number;
  refreshToken: string;
  refreshExpiresAt: number;
  user: WireUser;
};

/** Left by a sign-out that has not reached the service yet. */
type Ended = { v: 1; ended: { clientId: string; refreshToken: string } };

const VERSION = 1;
/** A token with less time left is not used any more, because it must still be valid when it arrives at the service. */
const EXPIRY_MARGIN_MS = 60_000;

function parse(text: string | null): Session | Ended | null {
  try {
    const entry = JSON.parse(text ?? 'null') as Session | Ended | null;
    return entry?.v === VERSION ? entry : null;
  } catch {
    return null;
  }
}

function parseSession(text: string | null): Session | null {
  const entry = parse(text);
  return entry && 'accessToken' in entry ? entry : null;
}

export const readSession = async (client: Client): Promise<Session | null> => parseSession(await client.vault.read());

export const isFresh = (client: Client, { accessExpiresAt }: Session): boolean =>
  accessExpiresAt - client.now() > EXPIRY_MARGIN_MS;

export const sessionOf = (client: Client, flow: Flow, clientId: string, tokens: WireTokens): Session => ({
  v: VERSION,
  flow,
  clientId,
  accessToken: tokens.access_token,
  refreshToken: tokens.refresh_token,
  user: tokens.user,
  ...readTokenTimes(tokens, client.now()),
});

/**
 * Stores a new session after a sign-in. A previous session is also ended at the service.
 * @param address the address that the user entered to sign in
 */
export async function beginSession(client: Client, tokens: WireTokens, address: string): Promise<Session> {
  const { flow, clientId } = client.configuration;
  const session = sessionOf(client, flow, clientId, tokens);
  if (tokens.device) await storeSecret(client, 'device', [address, tokens.user.user_id], tokens.device);
  const before = parse(await client.vault.update(() => JSON.stringify(session)));
  client.tabs.announce('signed_in');
  if (before) revoke(client, 'ended' in before ? before.ended : before).catch(() => undefined);
  return session;
}

/** Completes a sign-out that happened offline; when it is still offline, the next start tries again. */
export async function finishSignOut(client: Client): Promise<void> {
  const stored = await client.vault.read();
  const entry = parse(stored);
  if (!entry || !('ended' in entry)) return;
  try {
    await revoke(client, entry.ended);
    await client.vault.update((text) => (text === stored ? null : text));
  } catch {
    // No caller waits for this.
  }
}

/**
 * Changes the session unless it has ended or was replaced: a late response must not sign in again.
 * @param change null ends the session
 * @returns the current session
 */
export async function changeSession(
  client: Client,
  from: Session,
  change: (session: Session) => Session | null,
): Promise<Session | null> {
  let current: Session | null = null;
  let isEnded = false;
  await client.vault.update((text) => {
    const session = parseSession(text);
    if (session?.refreshToken !== from.refreshToken) {
      current = session;
      return text;
    }
    current = change(session);
    isEnded = current === null;
    return current && JSON.stringify(current);
  });
  if (isEnded) client.tabs.announce('signed_out');
  return current;
}

/**
 * Signs out locally at once, and at the service when it can be reached.
 * @returns false when no user was signed in
 * @throws NetworkError, ServiceError: signed out locally only; the next call or start completes it
 */
export async function endSession(client: Client): Promise<boolean> {
  let stored: string | null = null;
  const before = parse(
    await client.vault.update((text) => {
      const session = parseSession(text);
      stored = session ? JSON.stringify(endedOf(session)) : text;
      return stored;
    }),
  );
  if (!before) return false;
  if ('accessToken' in before) client.tabs.announce('signed_out');
  const isSignedOut =
    'accessToken' in before &&
    isFresh(client, before) &&
    (await call(client, 'signOut', {}, { bearer: before.accessToken }).then(
      () => true,
      () => false,
    ));
  if (!isSignedOut) await revoke(client, 'ended' in before ? before.ended : before);
  await client.vault.update((text) => (text === stored ? null : text));
  return true;
}

const endedOf = ({ clientId, refreshToken }: Session): Ended => ({ v: VERSION, ended: { clientId, refreshToken } });

/** RFC 7009. Uses the refresh token, which ends the session even when the access token has expired. */
async function revoke(client: Client, { clientId, refreshToken }: Ended['ended']): Promise<void> {
  const form = { token: refreshToken, token_type_hint: 'refresh_token', client_id: clientId };
  await send(client.fetch, { method: 'POST', url: client.configuration.auth + REVOKE_PATH, form });
}

const SECOND_MS = 1000;
/** Clocks that are off by more count as wrong, and only the service's durations are used. */
const TOLERATED_SKEW_MS = 15 * 60 * SECOND_MS;

/**
 * Returns when the tokens expire, by the clock of a device that may be wrong and may be corrected later: the earlier of
 * the duration from now and the token's own `exp`. Either alone would use expired tokens after some changes of the
 * clock.
 */
export function readTokenTimes(tokens: WireTokens, now: number) {
  const { iat, exp } = readClaims(tokens.access_token);
  const byDuration = now + tokens.expires_in * SECOND_MS;
  const byClaim = exp === undefined ? byDuration : exp * SECOND_MS;
  const aheadMs = iat === undefined ? 0 : now - iat * SECOND_MS;
  const refreshExpiresAt = Date.parse(tokens.refresh_expires_at) + aheadMs;
  const accessExpiresAt = Math.max(Math.min(byDuration, byClaim), byDuration - TOLERATED_SKEW_MS);
  return { accessExpiresAt: Math.min(accessExpiresAt, refreshExpiresAt), refreshExpiresAt };
}

/** Not verified: the tokens came from the service over TLS, and only the times are read. */
function readClaims(token: string): { iat?: number; exp?: number } {
  try {
    const [, payload = ''] = token.split('.');
    const { iat, exp } = JSON.parse(new TextDecoder().decode(fromBase64Url(payload)));
    return Number.isFinite(iat) && Number.isFinite(exp) ? { iat, exp } : {};
  } catch {
    return {};
  }
}
