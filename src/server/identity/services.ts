import { LRUCache } from 'lru-cache';
import { createOneSecondCache } from '../core/one-second-cache.ts';
import type { OpenSession } from './sessions/is-session-live.ts';
import { POWER_THREADS } from './srp/powers.ts';
import { createSrp } from './srp/suite.ts';
import { createWorkQueue, type WorkQueue } from './srp/work-queue.ts';
import { createDecoy } from './staff/password.ts';
import type { StaffState } from './staff/staff-actor.ts';
import type { AccessTokenClaims } from './tokens/claims.ts';
import type { ClientState } from './tokens/client-state.ts';
import type { KeyRing } from './tokens/signing-keys.ts';

const MAX_VERIFIED = 20_000;
/**
 * Concurrent password proofs: one more than worker threads, so that a thread computes while another proof waits for the
 * database. More would delay all other requests (see `npm run bench`). A full queue is processed in a second.
 */
const PROOFS = { concurrency: POWER_THREADS + 1, maxWaiting: 100 * POWER_THREADS };
/** Concurrent and waiting registrations; other work needs the thread pool too. */
const REGISTRATIONS = { concurrency: 1, maxWaiting: 20 };

/** Creates identity's process-lifetime state; each property is read and written by one file only. */
export function createIdentityServices() {
  const srp = createSrp();
  const proofs = createWorkQueue(PROOFS);
  const registrations = { newcomers: createWorkQueue(REGISTRATIONS), verified: createWorkQueue(REGISTRATIONS) };
  const queues: WorkQueue[] = [proofs, registrations.newcomers, registrations.verified];
  const ring: KeyRing = { keys: [], readAt: Number.NEGATIVE_INFINITY, reading: null };
  const uses = { at: new Map<string, number>(), writing: new Set<Promise<void>>() };
  return {
    // Cached for up to one second.
    clients: createOneSecondCache<ClientState | null>(),
    tenantsOfClients: createOneSecondCache<string[]>(),
    tenantsOfOrigins: createOneSecondCache<string[]>(),
    sessions: createOneSecondCache<OpenSession | null>(),
    livePatients: createOneSecondCache<boolean>(),
    staff: createOneSecondCache<StaffState | null>(),

    /** Cached keys that sign access tokens. */
    ring,
    /** Claims of tokens with a verified signature, by the token's hash. */
    verified: new LRUCache<string, AccessTokenClaims>({ max: MAX_VERIFIED }),
    /** When the last use of each client and secret was recorded, and pending writes. */
    uses,
    decoyPassword: createDecoy(),

    srp,
    /** Queue of password proofs for the worker threads; known devices have priority. */
    proofs,
    /**
     * Separate queues, so that callers with a code, an invitation or the old password never wait for unauthenticated
     * ones.
     */
    registrations,

    /** Waits for queued work and pending writes, then ends the threads. */
    async close(): Promise<void> {
      await Promise.all(queues.map((queue) => queue.close()));
      await Promise.all(uses.writing);
      await srp.close();
    },
  };
}
