import { toInteger } from '../protocol/hex.ts';
import { clientProof, multiplier, scrambler, serverProof, sessionKey } from '../protocol/srp-hashes.ts';
import type { SrpSuite } from '../protocol/srp-suite.ts';
import { modPow, randomBytes } from './suite.ts';

const SECRET_BYTES = 32;

/** The other side cannot be the one that holds the verifier. */
export class SrpError extends Error {}

export type ClientSecret = { a: bigint; A: bigint };

/** The client's first step. `a` is random except in tests. */
export function startExchange({ N, g }: SrpSuite, a = toInteger(randomBytes(SECRET_BYTES))): ClientSecret {
  return { a, A: modPow(g, a, N) };
}

/** @throws SrpError when B ≡ 0, which would reveal the session key (RFC 5054 §2.5.3), or when B is not reduced */
export function checkPublicValue({ N }: SrpSuite, B: bigint): bigint {
  if (B <= 0n || B >= N) throw new SrpError('B is out of range.');
  return B;
}

/** `S = (B − k·g^x) ^ (a + u·x)`, RFC 5054 §2.6. @throws SrpError when B ≡ 0 or u = 0 */
export function premasterSecret(suite: SrpSuite, { a, A }: ClientSecret, B: bigint, x: bigint): bigint {
  const { N, g } = suite;
  const u = scrambler(suite, A, checkPublicValue(suite, B));
  if (u === 0n) throw new SrpError('u is zero.');
  const base = (B - ((multiplier(suite) * modPow(g, x, N)) % N) + N) % N;
  return modPow(base, a + u * x, N);
}

/**
 * The client's second step: its proof, and a check of the server's.
 * @throws SrpError when B ≡ 0 or u = 0
 */
export function finishExchange(
  suite: SrpSuite,
  secret: ClientSecret,
  response: { identity: string; salt: Uint8Array; B: bigint },
  x: bigint,
): { M1: Uint8Array; isServerProof: (M2: Uint8Array) => boolean } {
  const { A } = secret;
  const K = sessionKey(suite, premasterSecret(suite, secret, response.B, x));
  const M1 = clientProof(suite, { ...response, A, sessionKey: K });
  const expected = serverProof(suite, A, M1, K);
  return {
    M1,
    isServerProof: (M2) => M2.length === expected.length && expected.every((byte, at) => byte === M2[at]),
  };
}
