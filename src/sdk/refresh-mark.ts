import type { Client } from './client.ts';
import { toHex } from './protocol/hex.ts';
import type { Session } from './session.ts';
import { SUITE } from './srp/suite.ts';

/** Longer than any storage takes to propagate to the other tabs. */
const HELD_MS = 10_000;
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
export async function markRefreshed(client: Client, session: Session): Promise<void> {
  const locks = locksOfTabs();
  if (!locks) return;
  await new Promise<void>((done) => {
    const hold = () => {
      done();
      return new Promise((resolve) => setTimeout(resolve, HELD_MS));
    };
    locks.request(nameOf(client, session), { mode: 'shared' }, hold).catch(() => done());
  });
}

export async function isMarkedRefreshed(client: Client, session: Session): Promise<boolean> {
  const name = nameOf(client, session);
  const state = await locksOfTabs()
    ?.query()
    .catch(() => null);
  return state?.held?.some((lock) => lock.name === name) ?? false;
}
