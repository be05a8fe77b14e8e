import type { Client } from './client.ts';
import { AuthError, NetworkError, NotSignedInError, ServiceError, SignInRequiredError } from './errors.ts';
import { expectFields, TOKEN_FIELDS } from './expect-fields.ts';
import { send } from './http.ts';
import { TOKEN_PATH, type WireTokens } from './protocol/endpoints.ts';
import { toHex } from './protocol/hex.ts';
import { changeSession, isFresh, readSession, type Session, sessionOf } from './session.ts';
import { SUITE } from './srp/suite.ts';
import { type AuthStorage, browserStorage } from './vault.ts';

/** Longer than any storage takes to propagate to the other tabs. */
const MARK_MS = 10_000;
const FINGERPRINT_DIGITS = 16;

/** Only in browser tabs do several processes share a storage. */
const locksOfTabs = () => (typeof window === 'undefined' ? undefined : globalThis.navigator?.locks);

const nameOf = (client: Client, { refreshToken }: Session): string => {
  const hash = toHex(SUITE.hash(new TextEncoder().encode(refreshToken)));
  return `${client.key}.refreshed.${hash.slice(0, FINGERPRINT_DIGITS)}`;
};

/**
 * Signals to the other tabs that this session was refreshed. A write to localStorage reaches the processes of other
 * tabs with a delay (HTML, "storage": no lock is held), while Web Locks are visible to all immediately; so the signal
 * is a lock that is held for a while.
 */
async function markRefreshed(client: Client, session: Session): Promise<void> {
  const locks = locksOfTabs();
  if (!locks) return;
  await new Promise<void>((done) => {
    const holdLock = () => {
      done();
      return new Promise((resolve) => setTimeout(resolve, MARK_MS));
    };
    locks.request(nameOf(client, session), { mode: 'shared' }, holdLock).catch(() => done());
  });
}

async function isMarkedRefreshed(client: Client, session: Session): Promise<boolean> {
  const name = nameOf(client, session);
  const state = await locksOfTabs()
    ?.query()
    .catch(() => null);
  return state?.held?.some((lock) => lock.name === name) ?? false;
}

/** Retries are fast, because the service accepts a refresh token twice only within 30 s of its first use. */
const RETRY_AFTER_MS = [200, 1000];

/** How long to wait for the storage write of another tab. */
const PROPAGATION = { limitMs: 5000, pollMs: 20 };

const inFlight = new WeakMap<Client['vault'], { refreshToken: string; result: Promise<Session> }>();

/**
 * Refreshes the session once for all concurrent callers in this process and, by a lock, in the other tabs.
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
  const session = await latestSession(client);
  if (!session) throw new NotSignedInError();
  if (session.accessToken !== stale.accessToken && isFresh(client, session)) return session;
  if (client.now() >= session.refreshExpiresAt) {
    await changeSession(client, session, () => null);
    throw new SignInRequiredError();
  }
  let tokens: WireTokens;
  try {
    tokens = await requestTokens(client, session);
  } catch (error) {
    if (!(error instanceof SignInRequiredError)) throw error;
    const replacement = await changeSession(client, session, () => null);
    if (replacement) return replacement;
    throw error;
  }
  const next = sessionOf(client, session.flow, session.clientId, tokens);
  const current = await changeSession(client, session, () => next);
  await markRefreshed(client, session);
  // The user signed out in the meantime: the service has ended the new tokens with the session.
  if (!current) throw new NotSignedInError();
  return current;
}

/**
 * Returns the stored session; after a refresh in another tab the new one, whose write may still be on its way to this
 * tab.
 */
async function latestSession(client: Client): Promise<Session | null> {
  const session = await readSession(client);
  if (!session || !(await isMarkedRefreshed(client, session))) return session;
  for (let waitedMs = 0; waitedMs < PROPAGATION.limitMs; waitedMs += PROPAGATION.pollMs) {
    const stored = await readSession(client);
    if (stored?.refreshToken !== session.refreshToken) return stored;
    await new Promise((resolve) => setTimeout(resolve, PROPAGATION.pollMs));
  }
  return session;
}

async function requestTokens(client: Client, { clientId, refreshToken }: Session): Promise<WireTokens> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId };
  const url = client.configuration.auth + TOKEN_PATH;
  for (let attempt = 0; ; attempt++) {
    try {
      return expectFields<WireTokens>(await send(client.fetch, { method: 'POST', url, form }), TOKEN_FIELDS);
    } catch (error) {
      const canRetry = error instanceof NetworkError || (error instanceof ServiceError && error.retryable);
      if (!canRetry || attempt >= RETRY_AFTER_MS.length) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS[attempt]));
    }
  }
}

/**
 * Returns a session with a valid access token.
 * @param renew refreshes even a token that looks valid
 */
export async function freshSession(client: Client, renew = false): Promise<Session> {
  const session = await readSession(client);
  if (!session) throw new NotSignedInError();
  if (!renew && isFresh(client, session)) return session;
  try {
    return await refreshSession(client, session);
  } catch (error) {
    // When offline, a token in its last minute is still usable.
    const isLive = !renew && session.accessExpiresAt > client.now();
    if (isLive && error instanceof AuthError && error.retryable) return session;
    throw error;
  }
}

/** Length of a tab's lease in storage, too: a suspended tab must not block the others longer than this. */
const MAX_WAIT_MS = 10_000;
const POLL_MS = 50;

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/**
 * Runs `work` in one tab at a time: by Web Locks, by a lease in localStorage (old or insecure pages), or without a
 * lock. Best effort: when it fails, the service's grace period for simultaneous refreshes compensates.
 */
export async function exclusive<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const locks = globalThis.navigator?.locks;
  if (locks) return byWebLock(locks, name, work);
  const storage = browserStorage();
  return storage ? byLease(storage, `${name}.lease`, work) : work();
}

async function byWebLock<Result>(locks: LockManager, name: string, work: () => Promise<Result>): Promise<Result> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), MAX_WAIT_MS);
  let isGranted = false;
  try {
    return await locks.request(name, { signal: limit.signal }, () => {
      isGranted = true;
      clearTimeout(timer);
      return work();
    });
  } catch (error) {
    if (isGranted) throw error;
    return work();
  } finally {
    clearTimeout(timer);
  }
}

async function byLease<Result>(storage: AuthStorage, key: string, work: () => Promise<Result>): Promise<Result> {
  const owner = `${Math.random()}`;
  const waitUntil = Date.now() + MAX_WAIT_MS;
  try {
    while (Date.now() < waitUntil) {
      const [holder, until] = ((await storage.getItem(key)) ?? '').split(' ');
      if (holder === owner) break;
      if (!holder || Number(until) < Date.now()) await storage.setItem(key, `${owner} ${Date.now() + MAX_WAIT_MS}`);
      // The last writer wins: the tab that still finds its own name after a pause has the lease.
      await pause(POLL_MS);
    }
  } catch {
    return work();
  }
  try {
    return await work();
  } finally {
    try {
      if (String(await storage.getItem(key)).startsWith(`${owner} `)) await storage.removeItem(key);
    } catch {
      // The lease expires.
    }
  }
}
