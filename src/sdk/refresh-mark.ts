import type { Client } from './client.ts';
import { toHex } from './protocol/hex.ts';
import type { Session } from './session.ts';
import { SUITE } from './srp/suite.ts';

/** Longer than any storage takes to tell the other tabs. */
const HELD_MS = 10_000;
const FINGERPRINT_DIGITS = 16;

/** Only tabs have more than one process at one storage. */
const locksOfTabs = () => (typeof window === 'undefined' ? undefined : globalThis.navigator?.locks);

const nameOf = (client: Client, { refreshToken }: Session): string => {
  const hash = toHex(SUITE.hash(new TextEncoder().encode(refreshToken)));
  return `${client.key}.refreshed.${hash.slice(0, FINGERPRINT_DIGITS)}`;
};

/**
 * Leaves word for the other tabs that this session has a successor. What a tab writes to localStorage reaches the
 * processes of other tabs a moment later (HTML, "storage": no lock is kept), while locks are known to all at once: so
 * the word is a lock, held for a while.
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
