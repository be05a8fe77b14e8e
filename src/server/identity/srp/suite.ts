import { createHash, randomBytes } from 'node:crypto';
import { toInteger } from '#sdk/protocol/hex.ts';
import { clientProof, multiplier, scrambler, serverProof, sessionKey } from '#sdk/protocol/srp-hashes.ts';
import { SRP_GROUP, type SrpSuite } from '#sdk/protocol/srp-suite.ts';
import { createPowers, type Powers } from './powers.ts';

const SECRET_BYTES = 32;

/** The inputs of the server's proof. */
type Halves = { identity: string; salt: Uint8Array; v: bigint; b: bigint; A: bigint; B: bigint };

type Exchange = {
  /** The first half, `B = k·v + g^b` (RFC 5054 §2.5.3), with a fresh 256-bit b unless the caller passes one. */
  offer(v: bigint, b?: bigint): Promise<{ b: bigint; B: bigint }>;
  /**
   * The second half, `S = (A·v^u)^b` (RFC 5054 §2.6): the proof expected from the client, and the server's own proof.
   * Null when A or u is not allowed (§2.5.4).
   */
  settle(halves: Halves): Promise<{ M1: Uint8Array; M2: Uint8Array } | null>;
};

/** Creates the server arithmetic of SRP-6a for one group and one hash. */
export function createExchange(suite: SrpSuite, { power, powerOfProduct }: Powers): Exchange {
  const { N } = suite;
  const k = multiplier(suite);

  async function offer(v: bigint, b = toInteger(randomBytes(SECRET_BYTES))): Promise<{ b: bigint; B: bigint }> {
    const B = b === 0n ? 0n : (k * v + (await power(b))) % N;
    return B === 0n ? offer(v) : { b, B };
  }

  return {
    offer,
    async settle({ identity, salt, v, b, A, B }) {
      const u = scrambler(suite, A, B);
      if (A % N === 0n || u === 0n) return null;
      const S = await powerOfProduct(v, u, A, b);
      if (S === null) return null;
      const key = sessionKey(suite, S);
      const M1 = clientProof(suite, { identity, salt, A, B, sessionKey: key });
      return { M1, M2: serverProof(suite, A, M1, key) };
    },
  };
}

/** Group and hash of the protocol. */
export const SUITE: SrpSuite = { ...SRP_GROUP, hash: (data) => createHash('sha256').update(data).digest() };

/** Creates the server arithmetic of the protocol, with its own worker threads, which start on first use. */
export function createSrp() {
  const powers = createPowers(SUITE);
  return { ...powers, ...createExchange(SUITE, powers) };
}
