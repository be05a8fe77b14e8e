import { LRUCache } from 'lru-cache';
import { createOneSecondMemory } from '../core/one-second-memory.ts';
import type { OpenSession } from './sessions/is-session-live.ts';
import { createLine, type Line } from './srp/line.ts';
import { POWER_THREADS } from './srp/powers.ts';
import { createSrp } from './srp/suite.ts';
import { createDecoy } from './staff/password.ts';
import type { Standing } from './staff/staff-actor.ts';
import type { AccessTokenClaims } from './tokens/claims.ts';
import type { ClientState } from './tokens/client-state.ts';
import type { Ring } from './tokens/signing-keys.ts';

const MAX_VERIFIED = 20_000;
/**
 * Proofs of passwords that are on their way at a time: one for each thread. More would do more sign-ins a second and keep
 * everybody else waiting longer, which `npm run bench` shows. Those that may wait in each lane are served in a second or two.
 */
const PROOFS = { abreast: POWER_THREADS, waiting: 100 * POWER_THREADS };
/** Registrations that are looked at a time, and those that may wait; others need the pool's threads too. */
const REGISTRATIONS = { abreast: 1, waiting: 20 };

/** What identity keeps as long as the services live; each is one file's, which alone reads and writes it. */
export function createIdentityServices() {
  const srp = createSrp();
  const proofs = createLine(PROOFS);
  const registrations = { newcomers: createLine(REGISTRATIONS), proved: createLine(REGISTRATIONS) };
  const lines: Line[] = [proofs, registrations.newcomers, registrations.proved];
  const ring: Ring = { keys: [], readAt: Number.NEGATIVE_INFINITY, reading: null };
  const uses = { at: new Map<string, number>(), writing: new Set<Promise<void>>() };
  return {
    // Of at most a second ago.
    clients: createOneSecondMemory<ClientState | null>(),
    tenantsOfClients: createOneSecondMemory<string[]>(),
    tenantsOfOrigins: createOneSecondMemory<string[]>(),
    sessions: createOneSecondMemory<OpenSession | null>(),
    livePatients: createOneSecondMemory<boolean>(),
    staff: createOneSecondMemory<Standing | null>(),

    /** The keys that sign access tokens. */
    ring,
    /** Claims of tokens whose signature was found right, by the token's hash. */
    verified: new LRUCache<string, AccessTokenClaims>({ max: MAX_VERIFIED }),
    /** When each client and secret was last noted as seen, and the notes being written. */
    uses,
    decoyPassword: createDecoy(),

    srp,
    /** Where proofs of passwords wait for the threads: known devices in front. */
    proofs,
    /** Who has shown something (a code, an invitation, the old password) never waits for who has merely typed an address. */
    registrations,

    /** Waits for those in line and the notes, then ends the threads. */
    async close(): Promise<void> {
      await Promise.all(lines.map((line) => line.close()));
      await Promise.all(uses.writing);
      await srp.close();
    },
  };
}
