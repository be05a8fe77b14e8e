import { type AuthStorage, browserStorage } from './vault.ts';

/** A suspended tab must not block the others longer than this. */
const PATIENCE_MS = 10_000;
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
  const timer = setTimeout(() => limit.abort(), PATIENCE_MS);
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
  const waitUntil = Date.now() + PATIENCE_MS;
  try {
    while (Date.now() < waitUntil) {
      const [holder, until] = ((await storage.getItem(key)) ?? '').split(' ');
      if (holder === owner) break;
      if (!holder || Number(until) < Date.now()) await storage.setItem(key, `${owner} ${Date.now() + PATIENCE_MS}`);
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
