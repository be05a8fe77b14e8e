import type { Client } from './client.ts';
import { AuthError, NetworkError, NotSignedInError, ServiceError, SignInRequiredError } from './errors.ts';
import { exclusive } from './exclusive.ts';
import { send } from './http.ts';
import { TOKEN_PATH, type WireTokens } from './protocol/endpoints.ts';
import { dropSession, isFresh, readSession, type Session, sessionOf, writeSession } from './session.ts';

/** Repeated soon, since the service takes a refresh token twice only within 30 s of its first use. */
const RETRY_AFTER_MS = [200, 1000];

const inFlight = new WeakMap<Client['vault'], { refreshToken: string; result: Promise<Session> }>();

/**
 * One refresh for all who ask meanwhile, in this process and, by a lock, in the other tabs.
 * @throws NotSignedInError, SignInRequiredError, NetworkError, ServiceError, RateLimitedError
 */
export function refreshSession(client: Client, stale: Session): Promise<Session> {
  const running = inFlight.get(client.vault);
  if (running?.refreshToken === stale.refreshToken) return running.result;
  const result = exclusive(client.key, () => refreshUnlessDone(client, stale)).finally(() => {
    if (inFlight.get(client.vault)?.result === result) inFlight.delete(client.vault);
  });
  inFlight.set(client.vault, { refreshToken: stale.refreshToken, result });
  return result;
}

async function refreshUnlessDone(client: Client, stale: Session): Promise<Session> {
  const session = await readSession(client);
  if (!session) throw new NotSignedInError();
  if (session.accessToken !== stale.accessToken && isFresh(client, session)) return session;
  if (client.now() >= session.refreshExpiresAt) {
    await dropSession(client);
    throw new SignInRequiredError();
  }
  let tokens: WireTokens;
  try {
    tokens = await requestTokens(client, session);
  } catch (error) {
    if (!(error instanceof SignInRequiredError)) throw error;
    const winner = await readSession(client);
    if (winner && winner.refreshToken !== session.refreshToken) return winner;
    await dropSession(client);
    throw error;
  }
  const current = await readSession(client);
  // Signed out meanwhile: the service has ended the new tokens with the session, they must not come back to life here.
  if (!current) throw new NotSignedInError();
  if (current.refreshToken !== session.refreshToken) return current;
  const next = sessionOf(client, session.flow, session.clientId, tokens);
  await writeSession(client, next);
  return next;
}

async function requestTokens(client: Client, { clientId, refreshToken }: Session): Promise<WireTokens> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId };
  const url = client.configuration.auth + TOKEN_PATH;
  for (let attempt = 0; ; attempt++) {
    try {
      return (await send(client.fetch, { method: 'POST', url, form })) as WireTokens;
    } catch (error) {
      const isWorthIt = error instanceof NetworkError || (error instanceof ServiceError && error.retryable);
      if (!isWorthIt || attempt >= RETRY_AFTER_MS.length) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS[attempt]));
    }
  }
}

/** A session whose access token is good for a while. */
export async function freshSession(client: Client): Promise<Session> {
  const session = await readSession(client);
  if (!session) throw new NotSignedInError();
  if (isFresh(client, session)) return session;
  try {
    return await refreshSession(client, session);
  } catch (error) {
    // Without a connection, a token's last minute is better than none.
    const isLive = session.accessExpiresAt > client.now();
    if (isLive && error instanceof AuthError && error.retryable) return session;
    throw error;
  }
}
