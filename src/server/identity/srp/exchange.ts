import { createHash, randomBytes } from 'node:crypto';
import { toInteger } from '#sdk/protocol/hex.ts';
import { clientProof, multiplier, scrambler, serverProof, sessionKey } from '#sdk/protocol/srp-hashes.ts';
import { SRP_GROUP, type SrpSuite } from '#sdk/protocol/srp-suite.ts';
import { power, powerOfProduct } from './power.ts';

const SUITE: SrpSuite = { ...SRP_GROUP, hash: (data) => createHash('sha256').update(data).digest() };
const { N } = SUITE;
const K = multiplier(SUITE);
const SECRET_BYTES = 32;

/** The server's first half, `B = k·v + g^b` (RFC 5054 §2.5.3), with a fresh 256-bit b. */
export async function offer(v: bigint): Promise<{ b: bigint; B: bigint }> {
  const b = toInteger(randomBytes(SECRET_BYTES));
  const B = (K * v + (await power(b))) % N;
  return B === 0n || b === 0n ? offer(v) : { b, B };
}

export type Exchange = { identity: string; salt: Uint8Array; v: bigint; b: bigint; A: bigint; B: bigint };

/**
 * The server's second half, `S = (A·v^u)^b` (§2.6): the proof that a client with the password sends, and the answer to
 * it. Null when A or u forbid it (§2.5.4).
 */
export async function settle({
  identity,
  salt,
  v,
  b,
  A,
  B,
}: Exchange): Promise<{ M1: Uint8Array; M2: Uint8Array } | null> {
  const u = scrambler(SUITE, A, B);
  if (A % N === 0n || u === 0n) return null;
  const S = await powerOfProduct(v, u, A, b);
  if (S === null) return null;
  const key = sessionKey(SUITE, S);
  const M1 = clientProof(SUITE, { identity, salt, A, B, sessionKey: key });
  return { M1, M2: serverProof(SUITE, A, M1, key) };
}
